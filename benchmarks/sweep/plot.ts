/** A picture of live bytes over the states, one row for each benchmark, with the limit as a line. */
import type { TopLevelSpec } from "vega-lite" with { "resolution-mode": "import" };
import type { Result } from "./run-state";

/** As an SVG document. */
export async function plot(results: readonly Result[], limit: number): Promise<string> {
  // Both are modules of the language's own kind, which only an import expression loads from here.
  const [{ compile }, { View, parse }] = await Promise.all([import("vega-lite"), import("vega")]);
  const gigabyte = 1e9;
  const states = new Map<string, number>();
  const values = results.flatMap(({ benchmark, peak, after }) => {
    const state = states.get(benchmark) ?? 0;
    states.set(benchmark, state + 1);
    return [
      { benchmark, state, bytes: peak / gigabyte, when: "while it runs" },
      { benchmark, state, bytes: after / gigabyte, when: "after it" },
    ];
  });
  const specification: TopLevelSpec = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "white",
    data: { values },
    facet: { row: { field: "benchmark", type: "nominal", title: null, sort: [...states.keys()] } },
    spec: {
      width: 900,
      height: 120,
      layer: [
        {
          mark: { type: "line", interpolate: "step-after", strokeWidth: 1 },
          encoding: {
            x: { field: "state", type: "quantitative", title: "state" },
            y: { field: "bytes", type: "quantitative", title: "live GB" },
            color: { field: "when", type: "nominal", title: "live bytes", sort: ["while it runs", "after it"] },
          },
        },
        {
          mark: { type: "rule", color: "firebrick", strokeDash: [4, 4] },
          encoding: { y: { datum: limit / gigabyte, type: "quantitative" } },
        },
      ],
    },
    resolve: { scale: { x: "independent" } },
  };
  return new View(parse(compile(specification).spec), { renderer: "none" }).toSVG();
}
