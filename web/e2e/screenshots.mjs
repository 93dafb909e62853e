// Takes the pictures of docs/screenshots: node e2e/screenshots.mjs FOLDER [VIEW...]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";
import { preview } from "vite";

const [folder = "../docs/screenshots", ...only] = process.argv.slice(2);
const TIB = 2 ** 40;
const device = (size, more = {}) => ({ kind: "described", logical_sector: 512, physical_sector: 4096, rotational: false, signatures: [], size, ...more });
const discard = { alignment: 0, granularity: 4096, max_bytes: 2 ** 50 };
const asked = (devices, more = {}) => ({ devices, identity: { seed: "screenshots" }, time: 1_700_000_000, ...more });
const three = asked([device(1000204886016, { discard }), device(1000204886016, { discard }), device(2000398934016, { discard })], { metadata: "raid1c3", data: "raid1", label: "home" });
const zoned = asked([device(14 * TIB, { logical_sector: 4096, rotational: true, zones: { max_active: 0, max_open: 128, model: "host-managed", runs: [[524, "conventional"], [1, "open", null, 8388608], [56000, "empty"], [819, "full"]], size: 268435456 } })]);
const scenes = [
  ["map", "map", three],
  ["schedule", "schedule", three],
  ["trees", "trees", three],
  ["resilience", "resilience", { ...three, data: "raid0" }],
  ["plan", "plan", three],
  ["zoned", "map", zoned],
  ["resets", "schedule", zoned],
  ["problem", "map", { ...three, data: "raid6", devices: three.devices.slice(0, 2) }],
];

const server = await preview({ root: new URL("..", import.meta.url).pathname, preview: { port: 4199, host: "127.0.0.1" } });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"] });
mkdirSync(folder, { recursive: true });
for (const [name, view, request] of scenes.filter(([name]) => only.length === 0 || only.includes(name))) {
  // Every size of the map; of the others the large one in both schemes, and the small one.
  for (const [width, height] of name === "map" ? [[360, 740], [768, 1000], [1440, 900]] : [[360, 740], [1440, 900]]) {
    for (const colorScheme of name === "map" || width > 360 ? ["light", "dark"] : ["light"]) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, serviceWorkers: "block", reducedMotion: "reduce" });
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:4199/#${view}=${deflateRawSync(JSON.stringify(request)).toString("base64url")}`);
      await page.locator("#view").waitFor();
      await page.waitForTimeout(700);
      if (view === "map" && name === "map") await page.locator(".h-metadata rect.holder").first().hover();
      if (name === "resilience") await page.getByRole("button", { name: /Device 2/ }).click();
      if (name === "trees") await page.getByRole("button", { name: /^chunk / }).click();
      if (width < 900) await page.evaluate(() => document.querySelector(".result")?.scrollIntoView());
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      await context.close();
    }
  }
}
await browser.close();
await server.close();
