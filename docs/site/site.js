// Filters, sorting, and the keyboard's way through published tables. Pages can be read without it.
"use strict";

const whole = (count) => count.toLocaleString("en");
const plural = (count, of, what) =>
  count === of ? `All ${whole(of)} ${what}` : `${whole(count)} of ${whole(of)} ${what}`;

function filter(form) {
  const items = [...document.querySelectorAll(`[data-item="${form.dataset.filter}"]`)];
  const texts = items.map((item) => item.textContent.toLowerCase());
  const result = form.querySelector("[data-count]");
  const groups = [...document.querySelectorAll("[data-group]")];
  const fields = [...form.querySelectorAll("[data-key]")];
  const apply = () => {
    let count = 0;
    items.forEach((item, at) => {
      const kept = fields.every((field) => {
        const value = field.value.trim();
        if (!value) return true;
        if (field.dataset.key !== "text") return item.dataset[field.dataset.key] === value;
        return value.toLowerCase().split(/\s+/).every((word) => texts[at].includes(word));
      });
      item.hidden = !kept;
      if (kept) count += 1;
    });
    groups.forEach((group) => {
      group.hidden = !group.querySelector("[data-item]:not([hidden])");
    });
    result.textContent = plural(count, items.length, result.dataset.count);
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  apply();
  return () => form.reset();
}

function sortable(table) {
  const body = table.tBodies[0];
  const said = document.getElementById("sorted");
  const heads = [...table.tHead.querySelectorAll("[data-sort]")];
  heads.forEach((head) => {
    const column = Number(head.dataset.at);
    const words = head.querySelector(".head");
    const button = document.createElement("button");
    button.type = "button";
    button.append(...words.childNodes);
    words.replaceWith(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("n");
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = (one, two) => {
        const [a, b] = [value(one), value(two)];
        if (a === "" || b === "") return (a === "") - (b === "");
        return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true }));
      };
      body.append(...[...body.rows].sort(compare));
      if (said) said.textContent = `Sorted by ${button.textContent}, ${order}`;
    });
  });
}

// Two ways of chunking compared: the change of each query, its mean and the furthest.
function compared(form) {
  const data = JSON.parse(document.getElementById("scores").textContent);
  const [first, second] = ["f-first", "f-second"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("tr[data-at]")];
  const body = rows[0].parentElement;
  const at = (row) => Number(row.dataset.at);
  rows.forEach((row) => data.scores.forEach((of, arm) => {
    row.cells[arm + 2].dataset.value = of[at(row)];
  }));
  const put = (name, what) => document.querySelector(`[data-put="${name}"]`).replaceChildren(...what);
  const points = (value) => {
    const text = (100 * value).toFixed(1);
    return text.startsWith("-") ? `\u2212${text.slice(1)}` : `+${text}`;
  };
  const named = (row, change) => {
    const [item, name] = [document.createElement("li"), document.createElement("b")];
    name.textContent = row.cells[0].textContent;
    item.append(name, ` ${points(change)}`);
    return item;
  };
  const pair = (one, two) => {
    if (one === two) return [0, 0, 0];
    if (one < two) return data.pairs[`${one}-${two}`];
    const [mean, low, high] = data.pairs[`${two}-${one}`];
    return [-mean, -high, -low];
  };
  let shown = `${first.value} ${second.value}`;
  const apply = () => {
    const chosen = `${first.value} ${second.value}`;
    const [from, to] = [Number(first.value), Number(second.value)];
    const change = (row) => data.scores[to][at(row)] - data.scores[from][at(row)];
    const moves = rows.map((row) => [row, change(row)]);
    moves.forEach(([row, by]) => {
      row.dataset.moves = by > 0 ? "gains" : by < 0 ? "loses" : "stays";
      row.cells[1].dataset.value = by;
      if (chosen !== shown) row.cells[1].textContent = points(by / data.steps);
    });
    if (chosen === shown) return;
    shown = chosen;
    put("first", [first.selectedOptions[0].text]);
    put("second", [second.selectedOptions[0].text]);
    const [mean, low, high] = pair(from, to);
    Object.entries({ mean, low, high }).forEach(([name, value]) => put(name, [points(value)]));
    ["gains", "loses", "stays"].forEach((kind) => {
      put(kind, [whole(rows.filter((row) => row.dataset.moves === kind).length)]);
    });
    moves.sort(([one], [two]) => at(one) - at(two));
    const furthest = (sign) => [...moves].sort((a, b) => sign * (b[1] - a[1]))
      .filter(([, by]) => sign * by > 0).slice(0, data.most)
      .map(([row, by]) => named(row, by / data.steps));
    put("up", furthest(1));
    put("down", furthest(-1));
    body.closest("table").querySelectorAll("[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
    moves.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    body.append(...moves.map(([row]) => row));
  };
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  apply();
}

function places() {
  const opened = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest(".card, .claim")) target.focus({ preventScroll: true });
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const close = document.querySelector(".card:target .close, .card:has(:target) .close");
    if (close) close.click();
  });
  window.addEventListener("hashchange", opened);
  opened();
}

document.querySelectorAll("form[data-pair]").forEach(compared);
const resets = [...document.querySelectorAll("form[data-filter]")].map(filter);
document.querySelectorAll("table.sortable").forEach(sortable);
places();
window.addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.closest("[hidden]")) resets.forEach((reset) => reset());
});
