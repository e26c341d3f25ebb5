// Uses the studio: draws, explains, protects, stops, loads again, kills, drops files, watches runs; by mouse, touch and keyboard; narrow and wide, light and dark.
// node use.mjs CHROMIUM GRADLESS WORK SCREENSHOTS ROOT [SCENE ...]

import { mkdirSync } from "node:fs";
import { Bench, startBrowser, startStudio } from "./browser.mjs";
import drawing from "./scenes/drawing.mjs";
import own from "./scenes/own.mjs";
import runs from "./scenes/runs.mjs";

const [executablePath, program, work, screenshots, root, ...only] = process.argv.slice(2);
mkdirSync(screenshots, { recursive: true });
const it = new Bench({ program, work, screenshots, root, browser: await startBrowser(executablePath) });
it.studio = await startStudio(program, work);

for (const [name, scene] of Object.entries({ ...drawing, ...own, ...runs })) {
  if (only.length > 0 && !only.includes(name)) continue;
  const begun = performance.now();
  try {
    await scene(it);
  } catch (error) {
    it.faults.push(`${name}: ${error.message.split("\n").slice(0, 4).join(" ")}`);
  }
  if (process.env.GRADLESS_TIMES) console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
await it.browser.close();
await it.studio.end("SIGTERM");
for (const fault of it.faults) console.error(fault);
console.log(`the studio: ${it.looks} checks, ${it.faults.length} faults`);
process.exitCode = it.faults.length === 0 ? 0 : 1;
