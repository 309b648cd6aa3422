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
const [width, height, left, right, top_, bottom] = [1000, 320, 64, 12, 18, 36]; // as in plot.go

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
		source.addEventListener("ended", (event) => state(JSON.parse(event.data).message || section.dataset.ended));
		source.addEventListener("error", async () => {
			if (source?.readyState !== EventSource.CLOSED) { state(section.dataset.lost); return; } // it connects again by itself
			close();
			isWanted = false;
			buttons();
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
		this.series = new Map(); // name to points
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
		const names = distinct(fields.map((f) => f.config?.displayName || [f.name, ...Object.entries(f.labels ?? {}).map(([k, v]) => `${k}=${v}`)].join(" ")));
		const count = Math.max(0, ...frame.data.values.map((column) => column.length));
		for (let row = Math.max(0, count - mostPoints); row < count; row++) {
			const at = time >= 0 ? columns[time].value(row) : Date.now();
			fields.forEach((f, i) => {
				const v = columns[i].value(row);
				if (f.type !== "number" || typeof v !== "number" || typeof at !== "number" || !Number.isFinite(at)) return;
				if (!this.series.has(names[i]) && this.series.size >= mostSeries) return;
				const points = this.series.get(names[i]) ?? [];
				this.series.set(names[i], points);
				points.push([at, v]);
				if (points.length > mostPoints) points.shift();
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
		const all = [...this.series.values()].flat();
		const times = all.map((p) => p[0]);
		const finite = all.map((p) => p[1]).filter(Number.isFinite);
		const x = range(times), y = range(finite);
		const atX = (t) => left + (t - x.from) / (x.to - x.from) * (width - right - left);
		const atY = (v) => height - bottom - (v - y.from) / (y.to - y.from) * (height - bottom - top_);
		Object.assign(this.svg.dataset, { from: x.from, to: x.to, left, right: width - right });
		this.figure.hidden = false;
		const axes = [];
		for (let i = 0; i <= 4; i++) {
			const v = y.from + (y.to - y.from) * i / 4, t = x.from + (x.to - x.from) * i / 4;
			axes.push(element("line", { class: "grid", x1: left, x2: width - right, y1: atY(v), y2: atY(v) }),
				element("text", { class: "tick", x: left - 8, y: atY(v) + 4, "text-anchor": "end" }, String(Number(v.toPrecision(4)))),
				element("text", { class: "tick", x: atX(t), y: height - 8, "text-anchor": i === 0 ? "start" : i === 4 ? "end" : "middle" }, timeText(t).slice(11, 21)));
		}
		const names = [...this.series.keys()];
		if (this.lines?.length !== names.length) {
			this.lines = names.map((name, i) => element("path", { class: `line c${i % 8}`, "data-name": name }));
			this.cursor = element("line", { class: "cursor", hidden: "" });
			this.figure.querySelector(".legend").replaceChildren(...names.map((name, i) => Object.assign(document.createElement("li"), { className: `c${i % 8}`, textContent: name })));
			this.figure.dispatchEvent(new CustomEvent("replaced", { bubbles: true })); // see plot.js
		}
		this.lines.forEach((line, i) => {
			line.points = this.series.get(names[i]).slice(); // others may arrive before the next drawing
			let isOpen = false;
			line.setAttribute("d", line.points.map(([t, v]) => {
				const command = Number.isFinite(v) ? (isOpen ? "L" : "M") + atX(t).toFixed(1) + " " + atY(v).toFixed(1) : "";
				isOpen = command !== "";
				return command;
			}).join(""));
		});
		this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
		this.svg.replaceChildren(...axes, ...this.lines, this.cursor);
	}
}

// distinct adds a number to names that are equal to earlier ones.
function distinct(names) {
	const seen = new Map();
	return names.map((name) => {
		const n = (seen.get(name) ?? 0) + 1;
		seen.set(name, n);
		return n > 1 ? `${name} (${n})` : name;
	});
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
