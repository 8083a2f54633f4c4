// Writes docs/matrix.md from what calls of the library do on backend host. Runs under tsx: npm run docs:matrix.

import { writeFileSync } from "node:fs";

process.env.CUDA_COMPUTE_BACKEND = "host";
const { matrixPage, pagePath } = await import("../test/helpers/matrix/page.ts");
writeFileSync(pagePath, matrixPage());
console.log(`Wrote ${pagePath}`);
