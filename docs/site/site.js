// Filters, sorting, and the keyboard's way through published tables. Pages can be read without it.
"use strict";

const plural = (count, of, what) =>
  count === of ? `All ${of} ${what}` : `${count} of ${of} ${what}`;

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
      const value = (row) => row.cells[column].dataset.value;
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

const resets = [...document.querySelectorAll("form[data-filter]")].map(filter);
document.querySelectorAll("table.sortable").forEach(sortable);
places();
window.addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.closest("[hidden]")) resets.forEach((reset) => reset());
});
