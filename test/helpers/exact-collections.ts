/**
 * Import where a test counts what is alive after a collection: a function that the engine compiles in the background
 * keeps what it looks at until that is done.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--no-opt");

afterAll(() => {
  setFlagsFromString("--opt");
});
