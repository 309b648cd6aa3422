// The page that follows a channel: plots frames as they arrive, and shows the latest values
// in a table. Packets that are not frames are shown as JSON.

import "./console.js";
import "./plot.js";
import { columnsOf, timeText } from "./table.js";

const mostPoints = 1000;   // of a line
const mostSeries = 20;
const mostRows = 20;       // of the table
const maxShown = 64 * 1024; // characters of a packet
const drawEvery = 100;     // milliseconds
const areaSize = 1000; // of the inner picture, as in plot.go

function follow(section) {
	const [start, stop] = ["start", "stop"].map((id) => document.getElementById(id));
	const address = "/api/live/events?channel=" + encodeURIComponent(section.dataset.channel);
	const view = new View(section);
	let source = null;
	let isWanted = false;
	const state = (text) => {
		const status = document.getElementById("stream-state");
		if (status.textContent !== text) status.textContent = text; // or it is read again
	};
	const close = () => { source?.close(); source = null; };
	const end = (text) => { close(); isWanted = false; buttons(); state(text); };
	const buttons = () => {
		const focused = document.activeElement;
		start.disabled = isWanted;
		stop.disabled = !isWanted;
		if (focused === start && isWanted) stop.focus();
		if (focused === stop && !isWanted) start.focus();
	};
	const open = () => {
		if (source || !isWanted || document.hidden) return;
		source = new EventSource(address);
		source.addEventListener("open", () => state(section.dataset.waiting));
		source.addEventListener("message", (event) => { state(section.dataset.receiving); view.add(JSON.parse(event.data), event.data); });
		source.addEventListener("ended", (event) => end(JSON.parse(event.data).message || section.dataset.ended)); // connecting again would not help
		source.addEventListener("error", async () => {
			if (source?.readyState !== EventSource.CLOSED) { state(section.dataset.lost); return; } // it connects again by itself
			end(section.dataset.stopped);
			state(await reason(address) || section.dataset.stopped);
		});
	};
	start.addEventListener("click", () => { isWanted = true; buttons(); open(); });
	stop.addEventListener("click", () => { isWanted = false; buttons(); close(); state(section.dataset.stopped); });
	// Browsers limit how many connections all pages of a host have together.
	document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
	isWanted = "start" in section.dataset;
	buttons();
	open();
}

// reason returns why the host refuses the stream; EventSource does not say.
async function reason(address) {
	const abort = new AbortController();
	try {
		const response = await fetch(address, { signal: abort.signal });
		return response.ok ? "" : (await response.json()).message;
	} catch (error) {
		return error.message;
	} finally {
		abort.abort();
	}
}

// View shows packets.
class View {
	constructor(section) {
		this.texts = section.dataset;
		this.figure = document.getElementById("plot");
		this.svg = this.figure.querySelector("svg");
		this.values = document.getElementById("values");
		this.packet = document.querySelector("#packet code");
		this.count = 0;
		this.rows = [];       // the latest ones, newest first
		this.series = new Map(); // by the position and the name of a column
		this.timer = 0;
	}

	add(packet, text) {
		this.count++;
		this.text = text;
		if (packet?.schema?.fields) this.schema = packet.schema;
		if (this.schema && Array.isArray(packet?.data?.values)) this.addFrame({ schema: this.schema, data: packet.data });
		else if (!packet?.schema) this.addRow([this.texts.time, this.texts.value], [timeText(Date.now()), text.slice(0, 1000)]);
		this.timer ||= setTimeout(() => { this.timer = 0; this.draw(); }, drawEvery);
	}

	addFrame(frame) {
		const fields = frame.schema.fields;
		const columns = columnsOf(frame);
		const time = fields.findIndex((f) => f.type === "time");
		const names = fields.map((f) => f.config?.displayName || [f.name, ...Object.entries(f.labels ?? {}).map(([k, v]) => `${k}=${v}`)].join(" "));
		const count = Math.max(0, ...frame.data.values.map((column) => column.length));
		for (let row = Math.max(0, count - mostPoints); row < count; row++) {
			const at = time >= 0 ? columns[time].value(row) : Date.now();
			fields.forEach((f, i) => {
				const v = columns[i].value(row);
				if (f.type !== "number" || typeof v !== "number" || typeof at !== "number" || !Number.isFinite(at)) return;
				const key = i + " " + names[i];
				if (!this.series.has(key) && this.series.size >= mostSeries) return;
				const line = this.series.get(key) ?? { name: names[i], points: [] };
				this.series.set(key, line);
				line.points.push([at, v]);
				if (line.points.length > mostPoints) line.points.shift();
			});
			if (row >= count - mostRows) this.addRow(names, columns.map((c) => c.text(row)));
		}
	}

	addRow(names, cells) {
		if (this.names?.join("\n") !== names.join("\n")) this.rows = []; // other columns
		this.names = names;
		this.rows.unshift(cells);
		this.rows.length = Math.min(this.rows.length, mostRows);
	}

	draw() {
		document.getElementById("count").textContent = this.count;
		this.packet.textContent = this.text.length > maxShown ? this.text.slice(0, maxShown) + "…" : this.text;
		this.drawTable();
		if (this.series.size > 0) this.drawPlot();
	}

	drawTable() {
		this.values.hidden = this.rows.length === 0;
		const head = this.values.querySelector("thead tr");
		const names = this.names ?? [];
		if ([...head.cells].map((c) => c.textContent).join("\n") !== names.join("\n")) {
			head.replaceChildren(...names.map((name) => Object.assign(document.createElement("th"), { scope: "col", textContent: name })));
		}
		this.values.querySelector("tbody").replaceChildren(...this.rows.map((cells) => {
			const row = document.createElement("tr");
			row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
			return row;
		}));
	}

	drawPlot() {
		const series = [...this.series.values()];
		const all = series.flatMap((s) => s.points);
		const times = all.map((p) => p[0]);
		const finite = all.map((p) => p[1]).filter(Number.isFinite);
		const x = range(times), y = range(finite);
		const atX = (t) => (t - x.from) / (x.to - x.from);
		const atY = (v) => 1 - (v - y.from) / (y.to - y.from);
		const percent = (part) => part * 100 + "%";
		Object.assign(this.svg.dataset, x);
		this.figure.hidden = false;
		const axes = [];
		for (let i = 0; i <= 4; i++) {
			const v = y.from + (y.to - y.from) * i / 4, t = x.from + (x.to - x.from) * i / 4;
			axes.push(element("line", { class: "grid", x2: "100%", y1: percent(atY(v)), y2: percent(atY(v)) }),
				element("text", { class: "tick", x: -8, y: percent(atY(v)), dy: 4, "text-anchor": "end" }, Number(v.toPrecision(4))),
				element("text", { class: i % 2 ? "tick spare1 spare2" : "tick", x: percent(atX(t)), y: "100%", dy: 20, "text-anchor": i === 0 ? "start" : i === 4 ? "end" : "middle" }, timeText(t).slice(11, 21)));
		}
		if (this.lines?.length !== series.length) {
			this.lines = series.map(({ name }, i) => element("path", { class: `line c${i % 8}`, "data-name": name }));
			this.cursor = element("line", { class: "cursor", y2: "100%", hidden: "" });
			this.figure.querySelector(".legend").replaceChildren(...series.map(({ name }, i) => Object.assign(document.createElement("li"), { className: `c${i % 8}`, textContent: name })));
			this.figure.dispatchEvent(new CustomEvent("replaced", { bubbles: true })); // see plot.js
		}
		this.lines.forEach((line, i) => {
			line.points = series[i].points.slice(); // others may arrive before the next drawing
			let isOpen = false;
			line.setAttribute("d", line.points.map(([t, v]) => {
				const command = Number.isFinite(v) ? (isOpen ? "L" : "M") + (atX(t) * areaSize).toFixed(1) + " " + (atY(v) * areaSize).toFixed(1) : "";
				isOpen = command !== "";
				return command;
			}).join(""));
		});
		const area = element("svg", { viewBox: `0 0 ${areaSize} ${areaSize}`, width: "100%", height: "100%", preserveAspectRatio: "none" });
		area.append(...this.lines);
		this.svg.replaceChildren(...axes, area, this.cursor);
	}
}

// range returns the smallest and the largest number, which are never equal.
function range(numbers) {
	let from = Infinity, to = -Infinity;
	for (const n of numbers) {
		if (n < from) from = n;
		if (n > to) to = n;
	}
	if (from > to) return { from: 0, to: 1 };
	return from === to ? { from: from - 1, to: to + 1 } : { from, to };
}

function element(name, attributes, text = "") {
	const e = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
	e.textContent = text;
	return e;
}

const section = document.getElementById("stream");
if (section) follow(section);
