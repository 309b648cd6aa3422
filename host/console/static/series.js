// What plots show: the lines of frames, and round numbers and times for their axes. Nothing here
// needs a page.

import { columnsOf, rowsOf, titleOf } from "./table.js";

export const areaSize = 1000;   // the width and the height of the picture with the lines
export const mostSeries = 100;
const maxTime = 8.64e15;        // milliseconds; the range of dates
const maxValue = 1e100;         // anything beyond is a gap
const mostIntervals = 20000;    // of all lines of a plot; see thin
const mediumWidth = 340;        // pixels of a plot in which labels with the class spare1 are hidden
const narrowWidth = 200;        // likewise, spare2

// seriesOf returns the lines of a frame: one for each number column and, in a long frame, for each
// combination of its string columns. The key of a line identifies it in frames with the same schema.
// Rows of a frame without times are at now, which is set for a stream, whose rows without a value are no gaps; if now
// is undefined, such a frame has no lines.
export function seriesOf(frame, now) {
	const { fields } = frame.schema;
	const columns = columnsOf(frame);
	const at = fields.findIndex((f) => f.type === "time");
	if (at < 0 && now === undefined) return [];
	const texts = columns.filter((_, i) => fields[i].type === "string");
	const rows = rowsOf(frame);
	const all = [];
	fields.forEach((field, i) => {
		if (field.type !== "number" || all.length >= mostSeries) return;
		const title = titleOf(field);
		const byKey = new Map();
		for (let row = 0; row < rows; row++) {
			const x = at < 0 ? now : columns[at].value(row);
			const y = columns[i].value(row);
			if (typeof x !== "number" || !(Math.abs(x) <= maxTime) || now !== undefined && typeof y !== "number") continue;
			const key = texts.map((c) => c.text(row)).join(" ");
			if (!byKey.has(key)) {
				if (all.length >= mostSeries) continue;
				const name = (title + " " + key).trim();
				byKey.set(key, { key: i + " " + name, name, points: [] });
				all.push(byKey.get(key));
			}
			byKey.get(key).points.push([x, typeof y === "number" && Math.abs(y) <= maxValue ? y : NaN]);
		}
	});
	for (const { points } of all) points.sort((a, b) => a[0] - b[0]);
	return all;
}

// numbersOf returns the numbers of a frame that has one row and only numbers.
export function numbersOf(frame) {
	const { fields } = frame.schema;
	if (rowsOf(frame) !== 1 || fields.some((f) => f.type !== "number")) return [];
	return columnsOf(frame).map((c, i) => ({ name: titleOf(fields[i]), value: c.value(0) }))
		.filter(({ value }) => typeof value === "number").map(({ name, value }) => ({ name, text: formatNumber(value) }));
}

// formatNumber returns a number rounded to six significant digits, or to an integer if it has
// more digits than that.
export function formatNumber(v) {
	return String(Math.abs(v) >= 1e6 && Math.abs(v) < 1e21 ? Math.round(v) : Number(v.toPrecision(6)));
}

// thin returns at most four points for each of the intervals of one of several lines: the first,
// lowest, highest and last, which draw the same line.
export function thin(points, lines) {
	const n = Math.min(areaSize, Math.floor(mostIntervals / lines));
	if (points.length <= 4 * n) return points;
	const from = points[0][0];
	const width = (points[points.length - 1][0] - from) / n;
	const out = [];
	for (let start = 0; start < points.length;) {
		const limit = from + width * (Math.floor((points[start][0] - from) / width) + 1);
		let low = start, high = start, end = start;
		for (; end < points.length && !(points[end][0] >= limit && end > start); end++) { // the limit is NaN if all are at the same time
			if (points[end][1] < points[low][1] || Number.isNaN(points[low][1])) low = end;
			if (points[end][1] > points[high][1] || Number.isNaN(points[high][1])) high = end;
		}
		let last = -1;
		for (const i of [start, Math.min(low, high), Math.max(low, high), end - 1]) {
			if (i > last) out.push(points[i]);
			last = Math.max(last, i);
		}
		start = end;
	}
	return out;
}

// paths returns the paths of a line and of the points between gaps. x and y map times and values to
// the picture.
export function paths(points, x, y) {
	let line = "", dots = "", isOpen = false;
	points.forEach(([t, v], i) => {
		if (Number.isNaN(v)) { isOpen = false; return; }
		const at = x(t).toFixed(1) + " " + y(v).toFixed(1);
		line += (isOpen ? "L" : "M") + at;
		if (!isOpen && (i + 1 === points.length || Number.isNaN(points[i + 1][1]))) dots += "M" + at + "h0";
		isOpen = true;
	});
	return { line, dots };
}

// roundScale widens a range of values to round numbers, and adds those to label.
export function roundScale(from, to) {
	if (from > to || from === 0 && to === 0) [from, to] = [0, 1]; // no value, or nothing but zeros
	const most = Math.max(Math.abs(from), Math.abs(to));
	if (to - from <= most * 1e-13 || to - from < 1e-290) { // differences are invisible
		[from, to] = [from - Math.max(1, Math.abs(from) / 10), to + Math.max(1, Math.abs(to) / 10)];
	}
	const raw = (to - from) / 5;
	let step = Math.pow(10, Math.floor(Math.log10(raw)));
	for (const factor of [2, 2.5, 2]) if (step < raw) step *= factor; // 2, 5, 10
	[from, to] = [Math.floor(from / step) * step, Math.ceil(to / step) * step];
	const ticks = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);
	return { from, to, ticks };
}

// timeStep returns the distance in milliseconds between the labels of a span of time, and the part
// of the text of a time that they show, counted from its end, as a year may have more than four digits.
export function timeStep(span) {
	const second = 1e3, minute = 60e3, hour = 3600e3, day = 86400e3;
	const step = [1, 10, 100, second, 5 * second, 15 * second, 30 * second, minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour,
		day, 2 * day, 7 * day, 30 * day, 90 * day, 365 * day, 3650 * day].find((s) => span / s <= 9);
	if (step === undefined) return { step: span / 9, part: [0, -19] };
	if (step < second) return { step, part: [-12, undefined] };
	if (step < minute) return { step, part: [-12, -4] };
	if (step < day) return { step, part: span < day ? [-12, -7] : [-18, -7] };
	return { step, part: [0, -13] };
}

// spare returns the class of the i-th label of times, by which medium and narrow plots hide those
// that do not fit. The distance between labels is a fraction of the width.
export function spare(i, distance, characters) {
	const need = 7 * characters + 12; // pixels
	const hides = (width) => i % Math.ceil(need / (distance * width)) !== 0;
	return (hides(mediumWidth) ? " spare1" : "") + (hides(narrowWidth) ? " spare2" : "");
}
