/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/dist/", "<rootDir>/vendor/", "<rootDir>/build/"],
  transform: {
    "\\.ts$": [
      "@swc/jest",
      {
        jsc: { target: "es2022", parser: { syntax: "typescript" } },
        module: { type: "commonjs" },
        sourceMaps: "inline",
      },
    ],
  },
  // A first compilation takes seconds, and several test files compile at once.
  // Only against hangs: a compilation takes a second or, on a machine that is shared, many.
  testTimeout: 600_000,
  maxWorkers: 2,
};
