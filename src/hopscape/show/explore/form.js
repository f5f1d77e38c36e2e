"use strict";
// A form made of the families' own parameters; what it asks for is computed by the server.
const { families } = JSON.parse(document.getElementById("families").textContent);
const by = (id) => document.getElementById(id);
const chosen = () => families[Number(by("family").value)];
let job = null;

families.forEach((one, i) => by("family").append(new Option(one.name, i)));

function field(parameter) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.dataset.name = parameter.name;
  if (parameter.kind === "flag") {
    input.type = "checkbox";
    input.checked = parameter.usual === "true";
  } else if (parameter.kind === "int" && !parameter.variadic) {
    input.type = "number";
    if (parameter.low !== null) input.min = parameter.low;
    if (parameter.high !== null) input.max = parameter.high;
  }
  if (input.type !== "checkbox") input.placeholder = parameter.usual;
  const hint = document.createElement("span");
  hint.className = "hint";
  hint.textContent = parameter.help;
  label.append(parameter.name + (parameter.required ? "" : " (may be left empty)"), input, hint);
  return label;
}

function showFamily() {
  const one = chosen();
  by("about").textContent = one.summary;
  by("fields").replaceChildren(...one.parameters.map(field));
  by("spec").value = one.example;
}

function value(parameter, input) {
  if (parameter.kind === "flag") {
    const text = String(input.checked);
    return text === (parameter.usual || "false") ? "" : text;
  }
  const text = input.value.trim();
  if (!text) return "";
  if (parameter.kind === "text") return JSON.stringify(text);
  if (parameter.kind === "ints" && !text.startsWith("[") && !text.startsWith("(")) return `[${text}]`;
  return text;
}

function writeSpec() {
  const one = chosen(), words = [];
  let named = false;
  one.parameters.forEach((parameter, i) => {
    const input = by("fields").children[i].querySelector("input");
    const text = value(parameter, input);
    if (!text) { named = true; return; }
    words.push(named && !parameter.variadic ? `${parameter.name}=${text}` : text);
  });
  by("spec").value = words.length ? `${one.name}(${words.join(", ")})` : one.name;
}

function say(text, wrong = false) {
  by("said").textContent = text;
  by("said").classList.toggle("wrong", wrong);
}

async function ask(path, options) {
  const answer = await fetch(path, options);
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

function busy(on) {
  by("stop").hidden = by("bar").hidden = !on;
  by("go").disabled = on;
}

async function watch(name) {
  while (job === name) {
    const now = await ask(`jobs/${name}`);
    if (now.state !== "running") return now;
    say(now.text + (now.total ? `: ${now.done} of ${now.total}` : ""));
    if (now.total) { by("bar").max = now.total; by("bar").value = now.done; }
    else by("bar").removeAttribute("value");
    await new Promise((done) => setTimeout(done, 300));
  }
  return { state: "cancelled", text: "cancelled" };
}

async function show(event) {
  event.preventDefault();
  const specs = [by("spec").value, by("second").value].map((x) => x.trim()).filter(Boolean);
  const body = { specs, curve: by("curve").checked };
  if (by("load").value) body.load = Number(by("load").value);
  busy(true);
  say("starting");
  try {
    const started = await ask("jobs", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    job = started.job;
    const now = await watch(job);
    if (now.state === "done") {
      by("view").src = by("alone").href = `jobs/${started.job}/page`;
      by("view").hidden = by("alone").hidden = false;
      say(specs.join(" | "));
    } else say(now.text, now.state !== "cancelled");
  } catch (error) {
    say(error.message || "the server does not answer", true);
  }
  job = null;
  busy(false);
}

async function stop() {
  const name = job;
  if (name) await ask(`jobs/${name}`, { method: "DELETE" }).catch(() => {});
}

by("family").addEventListener("change", showFamily);
by("fields").addEventListener("input", writeSpec);
by("form").addEventListener("submit", show);
by("stop").addEventListener("click", stop);
showFamily();
document.body.dataset.ready = families.length;
