// The built page in a real browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { chromium as playwright, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { btrfsPlan, chromium } from "./programs.ts";
import { device, matrix, request } from "./requests.ts";
import { serve } from "./server.ts";

const executable = chromium();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const views = ["Map", "Schedule", "Trees", "Resilience", "Plan"];

let browser: Browser;
let server: Server;
let address: string;
let scratch: string;

let context: BrowserContext;
let page: Page;
/** What no page may do: errors on the console, requests to elsewhere. */
let complaints: string[];

function watch(watched: Page): void {
  watched.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  watched.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  watched.on("request", (sent) => {
    const url = sent.url();
    if (!url.startsWith(address) && !url.startsWith("blob:")) complaints.push(`request: ${url}`);
  });
}

const link = (text: string, view = "map"): string => `${address}#${view}=${deflateRawSync(text).toString("base64url")}`;
const planned = (on: Page = page) => on.locator("[data-planned]").waitFor();

/** Waits until the page has planned again after something was done. */
async function after(act: () => Promise<unknown>): Promise<void> {
  const number = async () => Number(await page.locator("[data-planned]").getAttribute("data-planned"));
  const before = await number();
  await act();
  await expect.poll(number).toBeGreaterThan(before);
}

async function open(text: string, view = "map"): Promise<void> {
  await page.goto("about:blank");
  await page.goto(link(text, view));
  await planned();
}

/** The plan that the program makes of a request. */
function native(text: string): Buffer {
  const file = join(scratch, "asked.json");
  writeFileSync(file, text);
  return execFileSync(btrfsPlan(), ["--request", file, "-q"], { maxBuffer: 1 << 28 });
}

async function saved(button: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
  return readFileSync(await download.path());
}

async function violations(): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // @ts-expect-error axe was put there just now
    const result = await window.axe.run(document, { resultTypes: ["violations"] });
    return result.violations.map((one: { id: string; nodes: { html: string }[] }) => `${one.id}: ${one.nodes[0]?.html}`);
  });
}

/** The seal that is shown, once there is one. */
async function seal(): Promise<string | null> {
  const shown = page.locator(".seal");
  await expect.poll(() => shown.textContent()).toMatch(/^[0-9a-f]{64}$/);
  return shown.textContent();
}
const two = request([device(10n << 30n), device(10n << 30n)]);

// Without a browser these are skipped, and their names say what was not looked at.
describe.skipIf(executable === undefined)(executable === undefined ? "the page (skipped: no Chromium; install it, or set CHROMIUM)" : "the page", () => {
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), "btrfs-plan-page-"));
    ({ server, address } = await serve("/some/deep/path/"));
    const flags = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    if (process.getuid?.() === 0) flags.push("--no-sandbox");
    browser = await playwright.launch({ executablePath: executable ?? "", args: flags });
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    if (scratch !== undefined) rmSync(scratch, { recursive: true });
  });
  beforeEach(async () => {
    complaints = [];
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, serviceWorkers: "block", acceptDownloads: true });
    page = await context.newPage();
    watch(page);
    await page.goto(address);
    await planned();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  test("begins with a plan, and follows devices and options", async () => {
    expect(await page.locator(".map-device").count()).toBe(2);
    await after(() => page.getByRole("button", { name: "Add device", exact: true }).click());
    await after(() => page.getByLabel("Data profile", { exact: true }).selectOption("raid5"));
    expect(await page.locator(".summary").textContent()).toContain("raid5");
    expect(await page.locator(".map-device").count()).toBe(3);
    await after(() => page.getByRole("button", { name: "Remove device 2" }).click());
    await after(() => page.getByRole("button", { name: "Copy device 1" }).click());
    await page.getByLabel("Size of device 1").fill("931.5GiB");
    await expect.poll(() => page.locator(".map-device .facts").first().textContent()).toContain("931.50 GiB");
    await after(() => page.getByRole("button", { name: "Move device 1 down" }).click());
    expect(await page.getByLabel("Size of device 2").inputValue()).toBe("931.5G");
  });

  test("goes back and forth", async () => {
    await after(() => page.getByLabel("Metadata profile").selectOption("dup"));
    await after(() => page.getByRole("button", { name: "Undo" }).click());
    expect(await page.getByLabel("Metadata profile").inputValue()).toBe("");
    await page.locator("h1").click();
    await after(() => page.keyboard.press("Control+Shift+Z"));
    expect(await page.getByLabel("Metadata profile").inputValue()).toBe("dup");
    await after(() => page.keyboard.press("Control+z"));
    expect(await page.getByRole("button", { name: "Undo" }).isDisabled()).toBe(true);
  });

  test("says what is wrong where it is wrong, in the planner's words", async () => {
    await page.getByLabel("Size of device 1").fill("ten");
    await page.getByText("'ten' is not a size").waitFor();
    expect(await page.getByLabel("Size of device 1").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Size of device 1").fill("5M");
    await page.locator(".device .field-problem", { hasText: "device 1: its size 5242880 is below the minimum of 72351744" }).waitFor();
    await page.getByLabel("Size of device 1").fill("10G");
    await page.getByLabel("Data profile", { exact: true }).selectOption("raid6");
    await page.locator(".field-problem", { hasText: "the data profile raid6 needs at least 3 devices, there are 2" }).waitFor();
    expect(await page.getByLabel("Data profile", { exact: true }).getAttribute("aria-describedby")).toContain("data-problem");
    await page.getByLabel("Label", { exact: true }).fill("x".repeat(300));
    await page.getByRole("button", { name: "Remove all" }).click();
    await page.locator(".problem", { hasText: "no device is given" }).waitFor();
    await after(() => page.getByRole("button", { name: /^Add SSD/ }).click().then(() => page.getByLabel("Data profile", { exact: true }).selectOption("")).then(() => page.getByLabel("Label", { exact: true }).fill("fine")));
    expect(await page.locator(".problem").count()).toBe(0);
  });

  test("what is typed stays with its device while that moves, and goes with it", async () => {
    await open(request([device(10n << 30n), device(10n << 30n), device(20n << 30n)]));
    const sizes = () => page.getByLabel(/^Size of device/).evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
    await page.getByLabel("Size of device 1").fill("ten");
    await page.getByRole("button", { name: "Move device 1 down" }).click();
    await expect.poll(sizes).toEqual(["10G", "ten", "20G"]);
    await page.getByRole("button", { name: "Move device 2 down" }).click();
    await expect.poll(sizes).toEqual(["10G", "20G", "ten"]);
    await page.getByLabel("Size of device 2").fill("30G");
    await page.getByRole("button", { name: "Move device 2 up" }).click();
    await expect.poll(sizes).toEqual(["30G", "10G", "ten"]);
    await page.getByRole("button", { name: "Remove device 3" }).click();
    await expect.poll(sizes).toEqual(["30G", "10G"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(sizes).toEqual(["30G", "10G", "10G"]);
  });

  test("what cannot be planned leaves the plan, its request and its commands as they are", async () => {
    await open(request([device(10n << 30n), device(10n << 30n)]), "plan");
    const commands = () => page.locator(".copyable pre").allTextContents();
    const before = { commands: await commands(), request: await saved("Download request.json") };
    await page.getByLabel("Data profile", { exact: true }).selectOption("raid6");
    await page.locator(".problem").waitFor();
    expect({ commands: await commands(), request: await saved("Download request.json") }).toEqual(before);
    await page.goto("about:blank");
    await page.goto(link(request([device(10n << 30n)], ',"data":"raid6"'), "plan"));
    await page.locator(".problem").waitFor();
    expect(await commands()).toEqual([]);
  });

  test("restores what a link holds, and says when it holds nothing", async () => {
    await page.getByRole("tab", { name: "Plan" }).click();
    await after(() => page.getByLabel("Checksum").selectOption("blake2b"));
    await page.waitForURL(/#plan=/);
    const before = await seal();
    await expect.poll(async () => (await page.evaluate(() => location.hash)).length).toBeGreaterThan(50);
    const url = page.url();
    const other = await context.newPage();
    watch(other);
    await other.goto(url);
    await planned(other);
    await expect.poll(() => other.locator(".seal").textContent()).toBe(before);
    expect(await other.getByLabel("Checksum").inputValue()).toBe("blake2b");
    for (const broken of ["#map=xyz", "#map", `#plan=${deflateRawSync("{}").toString("base64url")}`]) {
      await other.goto("about:blank");
      await other.goto(`${address}${broken}`);
      await other.getByText("The link cannot be read").waitFor();
      await planned(other);
    }
  });

  test("takes the devices of a real machine", async () => {
    await page.getByText("Take the devices of a real machine").click();
    const listing = { blockdevices: [{ name: "sda", type: "disk", size: 10 * 2 ** 30, rota: true, model: "M1" }, { name: "sr0", type: "rom", size: 5 }] };
    await page.getByLabel("Output of lsblk, or a request").fill(JSON.stringify(listing));
    await after(() => page.getByRole("button", { name: "Take", exact: true }).click());
    expect(await page.locator(".device .path").textContent()).toContain("/dev/sda");
    await page.getByText("sr0 is no whole disk").waitFor();
    await page.getByLabel("Output of lsblk, or a request").fill("nonsense");
    await page.getByRole("button", { name: "Take", exact: true }).click();
    await page.locator(".field-problem", { hasText: "not a request" }).waitFor();
    await page.getByLabel("Output of lsblk, or a request").fill(two);
    await after(() => page.getByRole("button", { name: "Take", exact: true }).click());
    expect(await page.locator(".device").count()).toBe(2);
  });

  test("audits plans that are dropped, and compares two", async () => {
    await page.getByRole("tab", { name: "Plan" }).click();
    const plan = native(two);
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/json", buffer });
    const drop = page.getByLabel("Drop a plan to audit it");
    await drop.setInputFiles([file("mine.json", plan)]);
    await page.locator(".dropped", { hasText: "mine.json" }).getByText("No findings").waitFor();
    await drop.setInputFiles([file("mine.json", plan), file("other.json", native(two.replace("compare", "other")))]);
    await page.getByText("The plans differ").waitFor();
    await drop.setInputFiles([file("one.json", plan), file("two.json", plan)]);
    await page.getByText("it is the same plan").waitFor();
    await drop.setInputFiles([file("spoilt.json", Buffer.from(plan.toString().replace('"generation":1', '"generation":7')))]);
    await page.locator(".dropped", { hasText: "spoilt.json" }).locator(".problem").waitFor();
    await drop.setInputFiles([file("cut.json", plan.subarray(0, 5000))]);
    await page.locator(".dropped", { hasText: "not a plan" }).waitFor();
    await drop.setInputFiles([file("x.zst", Buffer.of(0x28, 0xb5, 0x2f, 0xfd))]);
    await page.getByText("unpack it first with zstd -d").waitFor();
    await after(() => drop.setInputFiles([file("request.json", Buffer.from(request([device(20n << 30n)])))]));
    expect(await page.getByLabel("Size of device 1").inputValue()).toBe("20G");
  });

  const requests = matrix();
  test(`saves byte for byte what the program prints, for ${requests.length} requests`, async () => {
    expect(requests.length).toBeGreaterThanOrEqual(50);
    for (const { name, text } of requests) {
      await open(text, "plan");
      const mine = await saved("Download plan.json");
      expect(mine.equals(native(text)), name).toBe(true);
    }
    const asked = await saved("Download request.json");
    expect(native(asked.toString()).equals(native(requests.at(-1)?.text ?? ""))).toBe(true);
  });

  test("offers what decides which machines mount it", async () => {
    await page.getByText("Machines that mount it").click();
    await page.getByText("As planned: Linux 6.1 or newer writes to it").waitFor();
    await page.getByLabel("Oldest kernel", { exact: true }).fill("six");
    await page.getByText("'six' is not a kernel version").waitFor();
    await page.getByLabel("Oldest kernel", { exact: true }).fill("5.10.0-28-amd64");
    await page.locator(".problem", { hasText: "the feature block-group-tree needs kernel 6.1, and the target is 5.10" }).waitFor();
    await after(() => page.getByLabel("Leave out what the oldest kernel lacks").check());
    await page.getByText("As planned: Linux 4.5 or newer writes to it").waitFor();
    await after(() => page.getByLabel("Features on unasked").selectOption("compat"));
    await page.getByText("Features", { exact: true }).click();
    expect(await page.getByLabel("raid-stripe-tree").isDisabled()).toBe(true);
    await after(() => page.getByLabel("Allow experiments").check());
    expect(await page.getByLabel("raid-stripe-tree").isDisabled()).toBe(false);
    expect(await page.getByLabel("extent-tree-v2").isDisabled()).toBe(false);
    await page.getByRole("tab", { name: "Plan" }).click();
    const line = await page.getByLabel("The same options for real devices", { exact: true }).textContent();
    expect(line).toContain("--defaults compat --target-kernel 5.10 --drop-unsupported --experimental");
  });

  test("copies a command line that makes the same plan", async () => {
    for (const { text } of [...requests.filter((_, index) => index % 9 === 0), { text: two.replace(/}$/, ',"defaults":"5.15","target_kernel":"6.8","experimental":true,"features":["raid-stripe-tree"]}') }]) {
      await open(text, "plan");
      const line = await page.getByLabel("The same plan, byte for byte", { exact: true }).textContent();
      const output = execFileSync("sh", ["-c", (line ?? "").replace("-o plan.json", "-q").replace("btrfs-plan", `'${btrfsPlan()}'`)], { maxBuffer: 1 << 28 });
      expect(output.equals(native(text)), line ?? "").toBe(true);
    }
  });

  test("the map zooms, moves, links copies and has a table", async () => {
    await open(request([device(10n << 30n), device(10n << 30n), device(1n << 40n)], ',"metadata":"raid1c3"'));
    const bar = page.getByRole("group", { name: /^Map of device 1,/ });
    await bar.locator(".h-metadata rect.holder").first().hover();
    await expect.poll(() => page.locator(".map-device .linked.h-metadata").count()).toBeGreaterThanOrEqual(3);
    await bar.locator(".h-metadata rect.holder").first().click();
    await page.locator(".looked button", { hasText: "device 3 at" }).click();
    await page.getByRole("group", { name: /^Map of device 3, .* of 1\.00 TiB/ }).waitFor();
    await bar.focus();
    const name = () => bar.getAttribute("aria-label");
    const all = await name();
    await page.keyboard.press("+");
    await expect.poll(name).not.toBe(all);
    const part = await name();
    await page.keyboard.press("ArrowRight");
    await expect.poll(name).not.toBe(part);
    await page.keyboard.press("0");
    await expect.poll(name).toBe(all);
    await page.getByRole("button", { name: "As a table" }).click();
    await page.locator(".map-device table").first().getByText("superblock").first().waitFor();
  });

  test("zones are shown with their write pointers", async () => {
    await open(requests.find((one) => one.name === "zoned")?.text ?? "");
    await page.getByText("with something in").click();
    expect(await page.getByRole("region", { name: "Zones of device 1" }).textContent()).toContain("conventional");
  });

  test("the schedule counts and plays, and stands still where people want no motion", async () => {
    await open(two, "schedule");
    await expect.poll(() => page.locator(".head .count").allTextContents()).toHaveLength(3);
    await expect.poll(() => page.locator(".head .count").nth(0).textContent()).not.toBe("0 requests");
    await page.getByRole("button", { name: "Play" }).click();
    await page.locator(".head .now").first().waitFor();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.locator(".head .now").first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Play" }).click();
    expect(await page.locator(".head .now").count()).toBe(0);
    expect(await page.getByRole("region", { name: "Steps of the device" }).textContent()).toContain("superblocks");
  });

  test("trees are decoded beside their bytes, and fields light up", async () => {
    await open(two, "trees");
    await page.getByText("magic").first().hover();
    await expect.poll(() => page.locator(".hex mark").allTextContents()).toEqual(["5f", "42", "48", "52", "66", "53", "5f", "4d"]);
    for (const tree of ["chunk", "root", "extent", "fs"]) {
      await page.getByRole("group", { name: "Trees" }).getByRole("button", { name: new RegExp(`^${tree} `) }).click();
      await page.locator(".copies", { hasText: "on device 2 at" }).waitFor();
      await page.getByText("The checksum holds").waitFor();
    }
  });

  test("a tree block leads to its places on the map", async () => {
    await open(two, "trees");
    await page.getByRole("group", { name: "Trees" }).getByRole("button", { name: /^root / }).click();
    await page.locator(".copies li", { hasText: "on device 2 at" }).getByRole("button").click();
    expect(await page.getByRole("tab", { name: "Map" }).getAttribute("aria-selected")).toBe("true");
    const bar = page.getByRole("group", { name: /^Map of device 2,/ });
    // Seventeen nodes are looked at: the block and what stands around it.
    await expect.poll(() => page.locator("#map-2 .shown").textContent()).toContain("272.00 KiB");
    await bar.locator(".h-metadata .f-written").first().waitFor();
    await page.getByRole("region", { name: "Chunks" }).getByRole("button", { name: /Show device 1 at/ }).first().click();
    await page.locator("#map-1 .shown").waitFor();
  });

  test("zone resets are counted and played three ways", async () => {
    const runs = '[[4,"conventional"],[20,"full"],[10,"empty"],[1,"open",null,4096],[29,"empty"]]';
    await open(request([device(64n << 28n, `,"zones":{"max_active":0,"max_open":0,"model":"host-managed","runs":${runs},"size":268435456}`)]), "schedule");
    await expect.poll(() => page.locator(".head .count").allTextContents()).toHaveLength(6);
    expect((await page.locator(".head .count").allTextContents()).slice(3)).toEqual(["21 requests", "2 requests", "1 request"]);
  });

  test("takes files that are dropped in any view", async () => {
    const text = native(two).toString();
    await page.evaluate((plan) => {
      const files = new DataTransfer();
      files.items.add(new File([plan], "dropped.json", { type: "application/json" }));
      document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
    }, text);
    await page.locator(".dropped", { hasText: "dropped.json" }).getByText("No findings").waitFor();
  });

  test("devices can be lost", async () => {
    await open(request([device(10n << 30n), device(10n << 30n)], ',"data":"raid0","metadata":"raid1"'), "resilience");
    await page.getByText("Nothing is lost").waitFor();
    await page.getByRole("button", { name: /Device 2/ }).click();
    await page.locator(".verdict", { hasText: "Some of it is lost" }).waitFor();
    await page.locator("tr", { hasText: "metadata" }).getByText("all, degraded").waitFor();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [360, 1280]) {
      test(`axe finds nothing in any view, ${colorScheme}, ${width} pixels wide, and nothing is wider than the page`, async () => {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const more of ["", ',"data":"raid6"']) {
          await page.goto("about:blank");
          // A path that has nowhere to break.
          const path = `,"path":"/dev/disk/by-path/${"x".repeat(200)}"`;
          await page.goto(link(request([device(10n << 30n, path), device(1n << 40n)], more)));
          await (more === "" ? planned() : page.locator(".problem").waitFor());
          for (const view of views) {
            await page.getByRole("tab", { name: view }).click();
            if (more === "") await page.locator("#view").locator("table:visible, svg:visible, .hex:visible, pre:visible").first().waitFor();
            expect(await violations(), view).toEqual([]);
            expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBeLessThanOrEqual(width);
          }
        }
      });
    }
  }

  test("everything can be reached with the keyboard", async () => {
    await page.getByRole("tab", { name: "Map" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Schedule" }).getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowLeft");
    await page.locator("h1").click();
    const seen = new Set<string>();
    for (let turn = 0; turn < 120; turn++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent || "");
      seen.add(name);
    }
    for (const name of ["size-0", "data", "metadata", "checksum", "tab-map", "Remove device 2", "As a table", "Zoom into device 1"]) expect([...seen]).toContain(name);
  });

  test("works without a network once it is loaded", async () => {
    const offline = await browser.newContext({ serviceWorkers: "allow" });
    const one = await offline.newPage();
    watch(one);
    await one.goto(address);
    await planned(one);
    await one.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await offline.setOffline(true);
    await one.goto(link(two));
    await one.reload();
    await planned(one);
    expect(await one.locator(".map-device").count()).toBe(2);
    await offline.close();
  });

  test("plans again while people type: 16 devices in about 16 ms, 1,000 in about 100 ms", async () => {
    for (const [count, aim] of [[16, 16], [1000, 100]] as const) {
      await open(request(Array.from({ length: count }, () => device(10n << 40n)), ',"metadata":"raid1c3"'));
      const planning: number[] = [];
      const shown: number[] = [];
      for (let turn = 0; turn < 12; turn++) {
        await after(() => page.getByLabel("Discard", { exact: true }).selectOption(turn % 2 === 0 ? "exact" : "bridge"));
        const [, one, all] = /Planned in ([\d.]+) ms, shown after ([\d.]+) ms/.exec((await page.locator("footer").textContent()) ?? "") ?? [];
        planning.push(Number(one));
        shown.push(Number(all));
      }
      for (const times of [planning, shown]) times.sort((left, right) => left - right);
      console.log(`${count} devices: planned again in ${planning[0]} ms at best, ${planning[6]} in the middle; shown after ${shown[0]} and ${shown[6]} ms`);
      // Other work on the machine is in these times too: only what is wrong by far is a failure.
      expect(shown[0]).toBeLessThan(aim * 10);
    }
  });
});
