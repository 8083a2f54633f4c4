/**
 * A struct within a struct: the centre of mass, by a reduction of masses and of positions that the masses weight.
 *
 *   npm run build && node dist/examples/nested-struct-reduction.js
 */
import { DeviceArray, reduceInto, struct, transformed, unaryTransform } from "../lib";

const Point = struct({ x: "float64", y: "float64" });
const Body = struct({ mass: "float64", position: Point });
const bodies = DeviceArray.from(
  [
    { mass: 1, position: { x: 0, y: 8 } },
    { mass: 3, position: { x: 4, y: 0 } },
    { mass: 4, position: { x: 1, y: 2 } },
  ],
  Body,
);
const centre = DeviceArray.empty(1, Body);

reduceInto({
  input: transformed(
    bodies,
    ({ mass, position: { x, y } }) => ({ mass, position: { x: mass * x, y: mass * y } }),
    Body,
  ),
  output: centre,
  op: (a, b) => ({
    mass: a.mass + b.mass,
    position: { x: a.position.x + b.position.x, y: a.position.y + b.position.y },
  }),
});
unaryTransform({
  input: centre,
  output: centre,
  op: ({ mass, position: { x, y } }) => ({ mass, position: { x: x / mass, y: y / mass } }),
});
console.log("centre of mass:", centre.toArray()[0]);

/* prints:
centre of mass: { mass: 8, position: { x: 2, y: 2 } }
*/
