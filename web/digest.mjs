// Writes beside the bundle which sources it was built from, so that a stale bundle is noticed.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const sources = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`);
const files = [...sources, "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts"];
const hash = createHash("sha256");
for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(file));
writeFileSync("../src/hopscape/show/explore/assets/sources.sha256", `${hash.digest("hex")}\n`);
