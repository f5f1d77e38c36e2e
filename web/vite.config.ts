import { defineConfig } from "vite";

// Each page is one classic script and one style sheet, with fixed names: hopscape puts them into
// its pages. `vite build` makes the explorer, `vite build --mode workbench` the first page of
// `hopscape explore`.
export default defineConfig(({ mode }) => {
  const workbench = mode === "workbench";
  const name = workbench ? "workbench" : "explorer";
  return {
    build: {
      outDir: "../src/hopscape/show/explore/assets",
      emptyOutDir: !workbench,
      target: "es2022",
      cssCodeSplit: false,
      lib: {
        entry: workbench ? "src/workbench/main.ts" : "src/main.ts",
        formats: ["iife"],
        name: workbench ? "hopscapeWorkbench" : "hopscapeExplorer",
        fileName: () => `${name}.js`,
        cssFileName: name,
      },
      license: false,
    },
  };
});
