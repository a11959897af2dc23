import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["site/", "dist/", ".venv*/", "docs/"] },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-shadow": "off",
      "no-var": "error",
      "object-shorthand": ["error", "properties"],
      "prefer-const": ["error", { destructuring: "all" }],
      "prefer-template": "error",
      // Text is never parsed as markup, see dom.js.
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: "Use el() of dom.js." })),
      ],
    },
  },
  { files: ["src/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/**/*.js"], languageOptions: { globals: globals.nodeBuiltin } },
  { files: ["tests/app/**/*.js"], languageOptions: { globals: globals.browser, sourceType: "script" } },
];
