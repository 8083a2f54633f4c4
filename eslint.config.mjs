import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import globals from "globals";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["build/", "coverage/", "dist/", "vendor/", "native/", "test/types/consumer.ts"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.check.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Its answer is `!`, which strictTypeChecked forbids; a cast says the type that is known.
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  {
    // They speak to a person at a terminal.
    files: ["lib/cli/**", "examples/**", "benchmarks/**"],
    rules: { "no-console": "off" },
  },
  {
    // Tests call the library as careless JavaScript would, and read what it answers.
    files: ["test/**"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-empty-function": "off",
      "@typescript-eslint/no-require-imports": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "no-console": "off",
    },
  },
  { files: ["**/*.mjs", "**/*.cjs"], languageOptions: { globals: globals.node } },
  prettier,
);
