// The page that follows a channel: plots frames as they arrive, and shows the latest values
// in a table. Packets that are not frames are shown as JSON.

import "./console.js";
import { draw } from "./plot.js";
import { seriesOf } from "./series.js";
import { columnsOf, rowsOf, timeText, titleOf } from "./table.js";

const mostPoints = 1000;   // of a line
const mostSeries = 20;
const mostRows = 20;       // of the table
const maxShown = 64 * 1024; // characters of a packet
const drawEvery = 100;     // milliseconds

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
		this.values = document.getElementById("values");
		this.packet = document.querySelector("#packet code");
		this.count = 0;
		this.rows = [];       // the latest ones, newest first
		this.series = new Map(); // by key
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
		for (const { key, name, points } of seriesOf(frame, Date.now())) {
			if (!this.series.has(key) && this.series.size >= mostSeries) continue;
			const line = this.series.get(key) ?? { name, points: [] };
			this.series.set(key, line);
			line.points = [...line.points, ...points].slice(-mostPoints);
		}
		const names = frame.schema.fields.map(titleOf);
		const columns = columnsOf(frame);
		const count = rowsOf(frame);
		for (let row = Math.max(0, count - mostRows); row < count; row++) this.addRow(names, columns.map((c) => c.text(row)));
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
		draw(this.figure, [...this.series.values()]);
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
}

const section = document.getElementById("stream");
if (section) follow(section);
