// The page to query data sources: results, the last queries, and calls of resources.

import { call as callAPI, replace } from "./console.js";
import { draw } from "./plot.js";
import { mostSeries, numbersOf, seriesOf } from "./series.js";
import { FrameTable } from "./table.js";

const mostFrames = 50;    // of a result
const maxRaw = 64 * 1024; // characters of the JSON of a response

const copyOf = (id) => document.getElementById(id).content.cloneNode(true);
const paragraph = (text) => Object.assign(document.createElement("p"), { className: "remark", textContent: text });

// run runs the query of the page and shows its results. If it is asked to while it does, it does so again.
const results = document.getElementById("results");
let isRunning = false, isStale = false;
async function run() {
	isStale = isRunning;
	if (!document.getElementById("request") || isRunning) return;
	isRunning = true;
	results.setAttribute("aria-busy", "true");
	do {
		isStale = false;
		replace(results, await resultsOf(document.getElementById("request").textContent));
	} while (isStale);
	results.removeAttribute("aria-busy");
	document.getElementById("done").textContent = "The query has run";
	isRunning = false;
}

// resultsOf returns a section with the results of a request, or with the reason why it failed.
async function resultsOf(request) {
	const section = document.createElement("section");
	try {
		const start = performance.now();
		const text = await callAPI("POST", "/api/ds/query", request);
		const took = performance.now() - start;
		const all = JSON.parse(text).results;
		remember();
		for (const refID of Object.keys(all).sort()) section.append(show(refID, all[refID], text, took, spanOf(request)));
	} catch (error) {
		const problem = copyOf("problem");
		problem.querySelector("p").textContent = error.message;
		section.append(problem);
	}
	return section;
}

// spanOf returns the times that a plot shows: those that the request asks for, unless the query has
// a time range of its own or the API reports that they are invalid.
function spanOf(request) {
	const { from, to, queries } = JSON.parse(request);
	return typeof from === "number" && !queries[0].timeRange ? { from, to } : undefined;
}

// show returns the article of a result.
function show(refID, result, text, took, span) {
	const article = copyOf("result").firstElementChild;
	const find = (selector) => article.querySelector(selector);
	find("h2").prepend(refID + " ");
	Object.assign(find(".state"), { textContent: result.status, className: "state " + (result.error ? "error" : "ok") });
	find("h2 small").textContent = took.toFixed(1) + " ms";
	if (result.error) {
		find(".bad").hidden = false;
		find(".bad").textContent = result.error;
		if (result.errorSource) find(".bad").append(" ", Object.assign(document.createElement("small"), { textContent: `(source: ${result.errorSource})` }));
	}
	const frames = result.frames ?? [];
	const shown = frames.slice(0, mostFrames);
	const numbers = shown.flatMap(numbersOf).slice(0, mostSeries);
	find(".numbers").hidden = numbers.length === 0;
	find(".numbers").append(...numbers.map(({ name, text }) => {
		const pair = document.createElement("div");
		pair.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: text }));
		return pair;
	}));
	const figure = find("figure");
	figure.setAttribute("aria-label", `Plot of ${refID}; the table below has its values`);
	find("svg").setAttribute("aria-label", refID);
	draw(figure, shown.flatMap((frame) => seriesOf(frame)).slice(0, mostSeries), span);
	const raw = find("details");
	shown.forEach((frame, i) => {
		const part = copyOf("frame");
		const name = frame.schema.name || refID;
		const region = part.querySelector(".tall");
		region.id = `table-${refID}-${i}`;
		region.dataset.frame = i;
		region.setAttribute("aria-label", name);
		const table = new FrameTable(region, frame);
		region.dataset.total = table.total;
		part.querySelector("h3").prepend(name + " ");
		part.querySelector("small").textContent = "rows: " + table.total;
		region.before(...(frame.schema.meta?.notices ?? []).map((n) => paragraph(n.text)));
		raw.before(part);
	});
	if (frames.length > mostFrames) raw.before(paragraph(`${frames.length - mostFrames} more frames are in the JSON only.`));
	if (frames.length === 0 && !result.error) raw.before(Object.assign(paragraph("No data."), { className: "" }));
	raw.id = "raw-" + refID;
	raw.querySelector("small").hidden = text.length <= maxRaw;
	raw.querySelector("code").textContent = text.length > maxRaw ? text.slice(0, maxRaw) : JSON.stringify(exact(text).results[refID], null, 2);
	return article;
}

// exact decodes JSON whose numbers keep all their digits when they are encoded again.
function exact(text) {
	if (!JSON.rawJSON) return JSON.parse(text);
	return JSON.parse(text, (_, value, { source }) => typeof value === "number" ? JSON.rawJSON(source) : value);
}

// The last queries, by plugin and data source.
const mostRecent = 20;
const form = document.getElementById("query");
const recent = form?.querySelector("[data-recent]");
function readRecent() {
	try {
		const all = JSON.parse(localStorage.getItem("queries"));
		return Array.isArray(all) ? all.filter((q) => typeof q?.query === "string" && typeof q.source === "string") : [];
	} catch {
		return [];
	}
}
// remember adds the query with which the page was loaded, once.
let sent = form && Object.fromEntries(["source", "type", "query"].map((name) => [name, form.elements[name].value]));
function remember() {
	if (!sent) return;
	const all = [sent, ...readRecent().filter((q) => JSON.stringify(q) !== JSON.stringify(sent))].slice(0, mostRecent);
	sent = null;
	try { localStorage.setItem("queries", JSON.stringify(all)); } catch { /* full, or not allowed */ }
	form.dispatchEvent(new CustomEvent("remembered"));
}

if (form) {
	const select = recent.querySelector("select");
	const show = () => {
		const of = readRecent().filter((q) => q.source === form.elements.source.value);
		recent.hidden = of.length === 0;
		select.replaceChildren(select.options[0], ...of.map((q) => {
			const text = q.query.replace(/\s+/g, " ");
			const option = new Option((q.type ? q.type + ": " : "") + (text.length > 80 ? text.slice(0, 79) + "…" : text));
			option.query = q;
			return option;
		}));
		select.selectedIndex = 0;
	};
	show();
	form.elements.source.addEventListener("change", show);
	form.addEventListener("remembered", show);
	select.addEventListener("change", () => {
		const q = select.selectedOptions[0].query;
		if (!q) return;
		form.elements.query.value = q.query;
		form.elements.type.value = q.type ?? "";
	});
	form.elements.query.addEventListener("keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(form.querySelector("button.first"));
	});
}

run();
document.addEventListener("refreshed", run);

// Calls of resources and health checks.
const call = document.getElementById("call");
const maxShown = 256 * 1024; // characters of a response

const quote = (text) => "'" + text.replaceAll("'", `'\\''`) + "'";

call?.addEventListener("submit", async (event) => {
	event.preventDefault();
	const field = (name) => call.elements[name]?.value ?? "";
	const isHealth = call.dataset.mode === "health";
	const method = isHealth ? "GET" : field("method");
	const path = call.elements.source.selectedOptions[0].dataset.path + (isHealth ? "/health" : "/resources/" + field("path").replace(/^\/+/, ""));
	const body = method === "GET" || field("body") === "" ? undefined : field("body");
	const headers = body === undefined ? {} : { "Content-Type": "application/json" };
	const card = document.getElementById("response");
	const state = card.querySelector(".state");
	const start = performance.now();
	card.hidden = false;
	card.setAttribute("aria-busy", "true");
	try {
		const response = await fetch(path, { method, headers, body });
		let text = await response.text();
		const took = performance.now() - start;
		try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON */ }
		state.textContent = `${response.status} ${response.statusText}`;
		state.className = "state " + (response.ok ? "ok" : "error");
		card.querySelector("small").textContent = `${took.toFixed(1)} ms · ${response.headers.get("Content-Type") ?? ""}`;
		card.querySelector("code").textContent = text.length > maxShown ? text.slice(0, maxShown) + "…" : text;
	} catch (error) {
		state.textContent = error.message;
		state.className = "state error";
		card.querySelector("small").textContent = "";
		card.querySelector("code").textContent = "";
	}
	card.removeAttribute("aria-busy");
	document.getElementById("curl-text").textContent = `curl -X ${method} -H 'Authorization: Bearer '"$TOKEN"` +
		(body === undefined ? "" : ` -H 'Content-Type: application/json' \\\n  -d ${quote(body)}`) + ` \\\n  ${quote(new URL(path, location.href).href)}`;
});
