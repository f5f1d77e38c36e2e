import { defineConfig } from "vite";

// One classic script and one style sheet, with fixed names: hopscape puts them into its pages.
export default defineConfig({
  build: {
    outDir: "../src/hopscape/show/explore/assets",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    lib: {
      entry: "src/main.ts",
      formats: ["iife"],
      name: "hopscapeExplorer",
      fileName: () => "explorer.js",
      cssFileName: "explorer",
    },
    license: false,
  },
});
