import { elementsOf } from "./dom.js";

// The printed link has the token in its fragment, which appears in no log.
function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  const field = elementsOf("login")("token");
  field.value = token;
  field.form?.requestSubmit();
}

signIn();
// Opening the link in a tab that is already on this page only changes the fragment.
window.addEventListener("hashchange", signIn);
