// Visits pages of the site in Chromium and says as JSON what happened there.
//
// visit.mjs CHROMIUM PROFILE MODULES REQUEST: the request is a JSON file with `base`, `pages`,
// `widths`, `axe`, and optionally `shots` (a folder) and `acts` (named steps, see ACTS).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [chromium, profile, modules, requested] = process.argv.slice(2);
const request = JSON.parse(readFileSync(requested, "utf8"));
const require = createRequire(join(modules, "package.json"));
const { chromium: driver } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

const visible = (page, selector) =>
  page.$$eval(selector, (all) => all.filter((one) => one.offsetParent !== null).length);

const ACTS = {
  async filters(page, base) {
    await page.goto(`${base}verdicts.html`);
    const claims = '[data-item="claim"]';
    const said = () => page.textContent(".result");
    const all = await visible(page, claims);
    await page.selectOption("#f-work", "jina");
    const one = await visible(page, claims);
    const works = await page.$$eval(`${claims}:not([hidden])`, (found) => [
      ...new Set(found.map((item) => item.dataset.work)),
    ]);
    await page.selectOption("#f-strict", "contradicted");
    const strict = await page.$$eval(`${claims}:not([hidden])`, (found) => [
      ...new Set(found.map((item) => item.dataset.strict)),
    ]);
    const two = await visible(page, claims);
    await page.fill("#f-text", "no such words anywhere");
    const none = await visible(page, claims);
    const announced = await said();
    await page.click("button[type=reset]");
    await page.waitForFunction((count) =>
      document.querySelectorAll('[data-item="claim"]:not([hidden])').length === count, all);
    return { all, one, works, strict, two, none, announced, again: await visible(page, claims) };
  },
  async sorting(page, base) {
    await page.goto(`${base}choose.html`);
    const column = 'th[data-sort="encoded"]';
    const values = () => page.$eval("table.sortable", (table) => [...table.tBodies[0].rows].map(
      (row) => row.cells[4].dataset.value));
    const before = await values();
    await page.focus(`${column} button`);
    await page.keyboard.press("Enter");
    const falling = await values();
    const first = await page.getAttribute(column, "aria-sort");
    await page.keyboard.press("Enter");
    const rising = await values();
    const second = await page.getAttribute(column, "aria-sort");
    const sorted = await page.$$eval("table.sortable", (all) =>
      all[0].querySelectorAll("[aria-sort]").length);
    return { before, falling, first, rising, second, sorted, said: await page.textContent("#sorted") };
  },
  async cells(page, base) {
    await page.goto(`${base}table-chroma-main.html`);
    const closed = await visible(page, ".card h3");
    const name = await page.getAttribute(".cell", "href");
    await page.focus(".cell");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.classList.contains("card"));
    const card = await page.evaluate(() => document.activeElement.id);
    const text = await page.$eval(name, (one) => one.innerText);
    const opened = await page.$$eval(".card", (all) =>
      all.filter((one) => getComputedStyle(one).display !== "none").length);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => [...document.querySelectorAll(".card")].every(
      (one) => getComputedStyle(one).display === "none"));
    return { closed, name, card, text, opened, hash: await page.evaluate(() => location.hash) };
  },
  async pair(page, base) {
    await page.goto(`${base}queries-scifact.html`);
    const read = () => page.evaluate(() => {
      const put = (name) => document.querySelector(`[data-put="${name}"]`).textContent;
      const rows = [...document.querySelectorAll("tr[data-at]")];
      return {
        put: Object.fromEntries(["first", "second", "mean", "low", "high", "gains", "loses", "stays"]
          .map((name) => [name, put(name)])),
        up: [...document.querySelectorAll('[data-put="up"] li')].map((one) => one.textContent),
        down: [...document.querySelectorAll('[data-put="down"] li')].map((one) => one.textContent),
        changes: rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent]),
        visible: rows.filter((row) => row.offsetParent !== null).length,
        said: document.querySelector(".result").textContent,
      };
    });
    const written = await read();
    await page.selectOption("#f-first", { label: "Semantic, late" });
    await page.selectOption("#f-second", { label: "No chunking, plain" });
    const chosen = await read();
    await page.selectOption("#f-moves", "gains");
    const gains = await read();
    await page.focus('th[data-sort="moves"] button');
    await page.keyboard.press("Enter");
    const sorted = await read();
    await page.click("button[type=reset]");
    await page.waitForFunction((name) =>
      document.querySelector('[data-put="first"]').textContent === name, written.put.first);
    return { written, chosen, gains, sorted, again: await read() };
  },
  async folded(page, base) {
    await page.goto(`${base}notebooks.html`);
    await page.click('a[href="notebooks/which_chunker.html"]');
    const seen = () => page.$$eval("details.code pre", (all) =>
      all.filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).length);
    const closed = await seen();
    await page.focus("details.code summary");
    await page.keyboard.press("Enter");
    return { closed, opened: await seen() };
  },
  async claim(page, base) {
    await page.goto(`${base}verdicts.html#C10`);
    await page.waitForFunction(() => document.activeElement.id === "C10");
    return page.$eval("#C10", (one) => {
      const box = one.getBoundingClientRect();
      return { top: box.top, height: innerHeight };
    });
  },
  async plain(page, base) {
    await page.goto(`${base}table-chroma-main.html`);
    await page.click(".cell");
    const opened = await page.$$eval(".card", (all) =>
      all.filter((one) => getComputedStyle(one).display !== "none").length);
    await page.goto(`${base}verdicts.html`);
    return {
      opened,
      claims: await visible(page, '[data-item="claim"]'),
      forms: await visible(page, "form"),
    };
  },
};

const browser = await driver.launchPersistentContext(profile, {
  executablePath: chromium,
  headless: true,
  args: FLAGS,
  javaScriptEnabled: request.script !== false,
  colorScheme: request.scheme ?? "light",
});
const found = { pages: [], acts: {}, errors: [], outside: [] };
const page = await browser.newPage();
page.setDefaultTimeout(180_000); // a busy machine is no fault
page.on("console", (said) => {
  if (["error", "warning"].includes(said.type())) found.errors.push(`${page.url()}: ${said.text()}`);
});
page.on("pageerror", (error) => found.errors.push(`${page.url()}: ${error}`));
page.on("requestfailed", (one) => found.errors.push(`${one.url()}: ${one.failure().errorText}`));
page.on("request", (one) => {
  if (!one.url().startsWith(request.base) && !one.url().startsWith("data:")) found.outside.push(one.url());
});
for (const width of request.widths ?? []) {
  await page.setViewportSize({ width, height: 900 });
  for (const file of request.pages) {
    await page.goto(request.base + file);
    const row = { file, width };
    row.overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (request.axe) {
      await page.evaluate(axe);
      const judged = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
      row.violations = judged.violations
        .filter((one) => ["serious", "critical"].includes(one.impact))
        .map((one) => `${one.id} (${one.nodes.length}): ${one.nodes[0].html.slice(0, 160)}`);
    }
    if (request.shots) {
      const name = `${file.replaceAll("/", "-").replace(".html", "")}-${width}.png`;
      await page.screenshot({ path: join(request.shots, name), fullPage: request.whole ?? false });
    }
    found.pages.push(row);
  }
}
for (const name of request.acts ?? []) found.acts[name] = await ACTS[name](page, request.base);
await browser.close();
process.stdout.write(JSON.stringify(found));
