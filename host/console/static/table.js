// Reads the columns of frames, and shows frames as tables that can be sorted by a column. A table
// with many rows draws only those that are visible.

const rowHeight = 28;     // pixels; see .tall td in style.css
const margin = 20;        // rows drawn above and below those that are visible
const mostWhole = 200;    // rows of a table that is drawn as a whole
const mostColumns = 200;  // of a table
const longestCell = 1000; // characters
const longestUnit = 30;   // characters of the name of a unit

const pad = (n, width = 2) => String(n).padStart(width, "0");
const cut = (text, most) => text.length <= most ? text : [...text].slice(0, most - 1).join("") + "…";

export function timeText(ms) {
	const d = new Date(ms);
	return `${d.getUTCFullYear()}-${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())} ${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}:${pad(d.getUTCSeconds())}.${pad(d.getUTCMilliseconds(), 3)}`;
}

// titleOf returns the name of a column with its labels and its unit.
export function titleOf({ name = "", type, labels, config }) {
	const pairs = Object.entries(labels ?? {}).map(([key, value]) => key + "=" + JSON.stringify(value)).sort();
	const title = config?.displayName || config?.displayNameFromDS || (pairs.length > 0 ? `${name} {${pairs.join(", ")}}`.trim() : name);
	return config?.unit && type === "number" ? `${title} (${cut(config.unit, longestUnit)})` : title;
}

// rowsOf returns the number of rows of the longest column of a frame.
export function rowsOf(frame) {
	return frame.data.values.reduce((most, values) => Math.max(most, values.length), 0);
}

// columnsOf returns the columns of a frame of the API: functions from a row to its text, and
// to the value by which it is sorted.
export function columnsOf(frame) {
	return frame.schema.fields.map((field, i) => {
		const values = frame.data.values[i] ?? [];
		const entities = frame.data.entities?.[i] ?? {};
		const special = new Map();
		for (const [name, value] of [["NaN", NaN], ["Inf", Infinity], ["NegInf", -Infinity]]) {
			for (const row of entities[name] ?? []) special.set(row, value);
		}
		const value = (row) => special.has(row) ? special.get(row) : values[row];
		return {
			value,
			text(row) {
				const v = value(row);
				if (v === null || v === undefined) return "";
				if (field.type === "time" && typeof v === "number") return timeText(v);
				return typeof v === "object" ? JSON.stringify(v) : String(v);
			},
		};
	});
}

// compare orders numbers before strings, and what has no order last.
function compare(a, b) {
	const rank = (v) => v === null || v === undefined || v === "" || Number.isNaN(v) ? 2 : typeof v === "number" ? 0 : 1;
	const ranks = rank(a) - rank(b);
	if (ranks !== 0 || rank(a) === 2) return ranks;
	return a < b ? -1 : a > b ? 1 : 0;
}

// FrameTable shows a frame in a region that scrolls, which has an id and an empty table.
export class FrameTable {
	constructor(region, frame) {
		this.region = region;
		this.table = region.querySelector("table");
		this.columns = columnsOf(frame).slice(0, mostColumns);
		this.total = rowsOf(frame);
		this.order = Uint32Array.from({ length: this.total }, (_, i) => i);
		this.table.setAttribute("aria-rowcount", this.total);
		this.table.tHead.rows[0].replaceChildren(...frame.schema.fields.slice(0, mostColumns).map((field, i) => {
			const head = document.createElement("th");
			const button = document.createElement("button");
			head.scope = "col";
			button.type = "button";
			button.className = "sort";
			button.id = `${region.id}-sort-${i}`;
			button.textContent = titleOf(field);
			button.addEventListener("click", () => this.sort(i, head));
			head.append(button);
			return head;
		}));
		if (this.total > mostWhole) region.addEventListener("scroll", () => this.draw(), { passive: true });
		this.draw();
	}

	sort(column, head) {
		const isUp = head.getAttribute("aria-sort") !== "ascending";
		for (const other of this.table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
		const keys = Array.from({ length: this.total }, (_, row) => this.columns[column].value(row));
		const sign = isUp ? 1 : -1;
		this.order.sort((a, b) => sign * compare(keys[a], keys[b]) || a - b);
		this.drawn = "";
		this.draw();
	}

	// draw shows the visible rows between two rows that are as high as those left out.
	draw() {
		const visible = Math.ceil(this.region.clientHeight / rowHeight);
		const isWhole = this.total <= mostWhole;
		const from = isWhole ? 0 : Math.max(0, Math.floor(this.region.scrollTop / rowHeight) - margin);
		const to = isWhole ? this.total : Math.min(this.total, from + visible + 2 * margin);
		if (this.drawn === `${from} ${to}`) return;
		this.drawn = `${from} ${to}`;
		const rows = document.createDocumentFragment();
		rows.append(this.space(from));
		for (let i = from; i < to; i++) {
			const row = document.createElement("tr");
			row.setAttribute("aria-rowindex", i + 1);
			for (const column of this.columns) {
				const cell = document.createElement("td");
				cell.textContent = cut(column.text(this.order[i]), longestCell);
				row.append(cell);
			}
			rows.append(row);
		}
		rows.append(this.space(this.total - to));
		this.table.tBodies[0].replaceChildren(rows);
	}

	space(rows) {
		if (rows === 0) return "";
		const row = document.createElement("tr");
		const cell = document.createElement("td");
		row.setAttribute("aria-hidden", "true");
		row.className = "space";
		cell.colSpan = this.columns.length;
		cell.style.height = rows * rowHeight + "px";
		row.append(cell);
		return row;
	}
}
