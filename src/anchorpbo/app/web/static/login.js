// The link that the server prints holds the token after #, where no log sees it.
function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  const field = document.getElementById("token");
  field.value = token;
  field.form.requestSubmit();
}

signIn();
// A link that is opened in a tab that is here already loads nothing.
window.addEventListener("hashchange", signIn);
