// The page to query data sources: the last queries, tables, and calls of resources.

import { send } from "./console.js";
import { tables } from "./table.js";
import "./plot.js";

// Tables: one request loads the frames of all of them.
const results = document.getElementById("results");
function enhance() {
	let response;
	tables(results, async (ref, number) => {
		response ??= send("POST", "/api/ds/query", results.dataset.body).catch(() => null);
		return (await response)?.results?.[ref]?.frames?.[number] ?? null;
	});
}
if (results) {
	enhance();
	document.addEventListener("replaced", enhance);
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
if (form) {
	const hasResults = results.querySelector(".card") && !results.querySelector("#invalid");
	let all = readRecent();
	if (hasResults) {
		const now = Object.fromEntries(["source", "type", "query"].map((name) => [name, form.elements[name].value]));
		all = [now, ...all.filter((q) => JSON.stringify(q) !== JSON.stringify(now))].slice(0, mostRecent);
		localStorage.setItem("queries", JSON.stringify(all));
	}
	const select = recent.querySelector("select");
	const show = () => {
		const of = all.filter((q) => q.source === form.elements.source.value);
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
