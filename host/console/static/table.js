// Sorts tables of frames by a column, and shows tables with many rows by drawing only the
// rows that are visible. A page contains the first rows; the others come from the API.

const rowHeight = 28; // pixels; see .tall td in style.css
const margin = 20;    // rows drawn above and below those that are visible

const pad = (n, width = 2) => String(n).padStart(width, "0");

export function timeText(ms) {
	const d = new Date(ms);
	return `${d.getUTCFullYear()}-${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())} ${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}:${pad(d.getUTCSeconds())}.${pad(d.getUTCMilliseconds(), 3)}`;
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

// columnsIn returns the columns of the rows in the page.
function columnsIn(table) {
	const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
	return [...table.tHead.rows[0].cells].map((_, column) => {
		const isNumber = rows.every((row) => row[column] === "" || row[column] === "NaN" || !Number.isNaN(Number(row[column])));
		return {
			value: (row) => isNumber && rows[row][column] !== "" ? Number(rows[row][column]) : rows[row][column],
			text: (row) => rows[row][column],
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

class FrameTable {
	constructor(region, load) {
		this.region = region;
		this.table = region.querySelector("table");
		this.body = this.table.tBodies[0];
		this.total = Number(region.dataset.total);
		this.isCut = this.total > this.body.rows.length;
		this.load = load;
		this.columns = null;
		this.order = null;
		this.drawn = "";
		for (const [i, head] of [...this.table.tHead.rows[0].cells].entries()) {
			const button = document.createElement("button");
			button.type = "button";
			button.className = "sort";
			button.id = `${region.id}-sort-${i}`;
			button.textContent = head.textContent;
			button.addEventListener("click", () => this.sort(i, head));
			head.replaceChildren(button);
		}
		if (this.isCut) region.addEventListener("scroll", () => this.scroll(), { passive: true });
	}

	async ready() {
		if (this.columns) return true;
		if (!this.isCut) {
			this.columns = columnsIn(this.table);
		} else {
			this.loading ??= this.load(this.region.dataset.ref, Number(this.region.dataset.frame));
			const frame = await this.loading;
			if (!frame) return false;
			this.columns = columnsOf(frame);
			this.total = Math.max(0, ...frame.data.values.map((values) => values.length));
			this.region.previousElementSibling?.querySelector("[data-first]")?.remove();
		}
		this.order = Uint32Array.from({ length: this.total }, (_, i) => i);
		return true;
	}

	async scroll() {
		if (!await this.ready()) return;
		this.draw();
	}

	async sort(column, head) {
		if (!await this.ready()) return;
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
		const isWhole = !this.isCut || this.total <= 4 * margin;
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
				cell.textContent = column.text(this.order[i]);
				row.append(cell);
			}
			rows.append(row);
		}
		rows.append(this.space(this.total - to));
		this.body.replaceChildren(rows);
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

// tables makes the tables of frames within an element sortable. load(refId, number) returns
// a frame, or null.
export function tables(within, load) {
	for (const region of within.querySelectorAll("[data-frame]")) new FrameTable(region, load);
}
