"use strict";
// Tables and pictures stand without this script: it sorts, weighs anew and lights up names.
const rows = [...document.querySelectorAll("tr[data-spec]")];

for (const head of document.querySelectorAll("table.sortable th")) {
  head.tabIndex = 0;
  head.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); head.click(); }
  });
  head.addEventListener("click", () => {
    const at = [...head.parentNode.children].indexOf(head);
    const body = head.closest("table").tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => {
      const text = row.children[at].dataset.value ?? row.children[at].textContent;
      const number = parseFloat(text);
      return Number.isNaN(number) ? text : number;
    };
    const kept = [...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      const less = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0)
        : typeof x === "number" ? -1 : 1;
      return up ? less : -less;
    });
    body.append(...kept);
  });
}

// -- weights ------------------------------------------------------------------------------------

const board = document.getElementById("weights");
const graded = rows.filter((row) => row.dataset.grades)
  .map((row, place) => ({
    row, place, grades: JSON.parse(row.dataset.grades), open: "unproved" in row.dataset,
  }));

function weigh() {
  const sliders = [...board.querySelectorAll("input")];
  const total = sliders.reduce((sum, one) => sum + Number(one.value), 0);
  for (const one of sliders) one.parentNode.querySelector("output").textContent = one.value;
  const now = document.getElementById("now");
  if (!total) { now.textContent = "Give at least one criterion a weight."; return; }
  for (const one of graded) {
    const sum = sliders.reduce((s, slider, i) => s + Number(slider.value) * one.grades[i], 0);
    one.score = Math.round((sum / total) * 1e6) / 1e6;
  }
  graded.sort((a, b) => a.open - b.open || b.score - a.score || a.place - b.place);
  graded.forEach((one, i) => {
    one.row.querySelector(".rank").textContent = i + 1;
    const cell = one.row.querySelector(".score");
    cell.textContent = one.score.toFixed(4);
    cell.dataset.value = one.score;
    one.row.classList.toggle("best", i === 0);
    one.row.parentNode.append(one.row);
  });
  const first = graded.slice(0, 3).map((one, i) => `${i + 1}. ${one.row.dataset.name}`);
  now.textContent = `With these weights: ${first.join(", ")}.`;
  for (const point of document.querySelectorAll(".point")) {
    point.classList.toggle("first", point.dataset.spec === graded[0]?.row.dataset.spec);
  }
}

if (board && graded.length > 1) {
  board.hidden = false;
  board.addEventListener("input", weigh);
  document.getElementById("reset").addEventListener("click", () => {
    for (const one of board.querySelectorAll("input")) one.value = one.defaultValue;
    weigh();
  });
}

// -- names --------------------------------------------------------------------------------------

function light(spec, on) {
  for (const one of document.querySelectorAll(".point, tr[data-spec]")) {
    if (one.dataset.spec === spec) one.classList.toggle("lit", on);
  }
}
for (const one of [...document.querySelectorAll(".point"), ...rows]) {
  one.addEventListener("mouseenter", () => light(one.dataset.spec, true));
  one.addEventListener("mouseleave", () => light(one.dataset.spec, false));
}
for (const point of document.querySelectorAll(".point")) {
  point.addEventListener("click", () => {
    const row = rows.find((one) => one.dataset.spec === point.dataset.spec);
    const fold = row?.closest("details");
    if (fold) fold.open = true;
    row?.scrollIntoView({ block: "center" });
  });
}
document.body.dataset.ready = rows.length;
