// What tsc must refuse: each line below a comment is an error, or tsc reports the comment. Nothing here is run.

import { makeClient } from "../../src/anchorpbo/app/web/static/client.js";
import { elementsOf } from "../../src/anchorpbo/app/web/static/dom.js";

const { get, post, put, remove } = makeClient();

export async function refused() {
  // @ts-expect-error no such path
  await get("/studies/{id}/maps");
  // @ts-expect-error a path of another method
  await remove("/studies/{id}/map");
  // @ts-expect-error nothing is put there
  await put("/studies/{id}/clips", new Blob());
  // @ts-expect-error no such outcome
  await post("/studies/{id}/answers", { duel_id: "1", outcome: "third" });
  // @ts-expect-error a property is missing
  await post("/studies/{id}/answers", { outcome: "first" });
  // @ts-expect-error no such query parameter
  await get("/studies/{id}/map", { z: "heat" });
  // @ts-expect-error no such property of the reply
  (await get("/studies/{id}/recommendation")).certainty.toFixed();
  // @ts-expect-error null before the first answer
  (await get("/studies/{id}/map")).slices[0].grid.utility.length;
  // @ts-expect-error no such element on this page
  elementsOf("home")("risk");
  // @ts-expect-error no such property of this element
  elementsOf("results")("verdict").checked = true;
}
