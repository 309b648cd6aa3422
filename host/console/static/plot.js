// Draws plots, shows their values at the pointer, and hides lines whose names are clicked. Plots
// are SVG whose colors come from style.css, so that they follow the theme.
//
// Lines are in an inner picture that is stretched to the width of the page. The labels around it
// keep their size: their positions are percentages, and a narrow plot hides some of them.

import { areaSize, formatNumber, paths, roundScale, spare, thin, timeStep } from "./series.js";
import { timeText } from "./table.js";

const plotMargin = 0.03;  // at both ends of the horizontal axis, where labels would be cut off
const longestLabel = 13;  // characters of a number on the vertical axis
const wideLabel = 8;      // characters that fit in the usual space for them
const mostColors = 8;

function element(name, attributes, text = "") {
	const e = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
	e.textContent = text;
	return e;
}

const percent = (part) => (100 * part).toFixed(2) + "%";

// draw draws lines, with their names, in a figure: over a span of times, without the points at
// others, or over the times of all points. A figure without lines is hidden.
export function draw(figure, series, span) {
	const lines = series.map(({ points }) => span ? points.filter(([t]) => t >= span.from && t <= span.to) : points);
	const x = { from: Infinity, to: -Infinity, ...span };
	let low = Infinity, high = -Infinity;
	for (const points of lines) {
		for (const [t, v] of points) {
			x.from = Math.min(x.from, t);
			x.to = Math.max(x.to, t);
			if (v < low) low = v;
			if (v > high) high = v;
		}
	}
	figure.hidden = lines.length === 0 || x.from > x.to;
	if (figure.hidden) return;
	if (x.from === x.to) Object.assign(x, { from: x.from - 30000, to: x.to + 30000 });
	const y = roundScale(low, high);
	const atX = (t) => (t - x.from) / (x.to - x.from);
	const atY = (v) => 1 - (v - y.from) / (y.to - y.from);

	const legend = figure.querySelector(".legend");
	const names = series.map((s) => s.name);
	if (legend.children.length !== names.length || names.some((name, i) => name !== legend.children[i].textContent)) {
		legend.replaceChildren(...names.map((name, i) => {
			const item = document.createElement("li");
			item.className = "c" + i % mostColors;
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = name;
			button.setAttribute("aria-pressed", "true");
			item.append(button);
			return item;
		}));
	}

	const labels = y.ticks.map((v) => {
		const text = formatNumber(v);
		return text.length > longestLabel ? v.toExponential(3).replace(/\.?0+e/, "e") : text;
	});
	const axes = y.ticks.flatMap((v, i) => [
		element("line", { class: "grid", x2: "100%", y1: percent(atY(v)), y2: percent(atY(v)) }),
		element("text", { class: "tick", x: -8, y: percent(atY(v)), dy: 4, "text-anchor": "end" }, labels[i]),
	]);
	const { step, part } = timeStep(x.to - x.from);
	const times = [];
	for (let t = Math.ceil(x.from / step) * step; t <= x.to; t += step) {
		if (atX(t) >= plotMargin && atX(t) <= 1 - plotMargin) times.push(t);
	}
	axes.push(...times.map((t, i) => {
		const text = timeText(t).slice(...part);
		return element("text", { class: "tick" + spare(i, step / (x.to - x.from), text.length), x: percent(atX(t)), y: "100%", dy: 20, "text-anchor": "middle" }, text);
	}));

	const area = element("svg", { viewBox: `0 0 ${areaSize} ${areaSize}`, width: "100%", height: "100%", preserveAspectRatio: "none" });
	lines.forEach((points, i) => {
		const shown = thin(points, lines.length);
		const drawn = paths(shown, (t) => areaSize * atX(t), (v) => areaSize * atY(v));
		const line = element("path", { class: `line c${i % mostColors}`, d: drawn.line, "data-name": names[i] });
		line.points = shown.filter(([, v]) => !Number.isNaN(v)); // for valuesAt
		line.toggleAttribute("hidden", legend.children[i].firstChild.getAttribute("aria-pressed") === "false");
		area.append(line);
		if (drawn.dots !== "") area.append(element("path", { class: `dots c${i % mostColors}`, d: drawn.dots }));
	});
	const svg = figure.querySelector("svg");
	svg.classList.toggle("indented", labels.some((text) => text.length > wideLabel));
	Object.assign(svg.dataset, { from: x.from, to: x.to });
	svg.replaceChildren(...axes, area, svg.querySelector(".cursor") ?? element("line", { class: "cursor", y2: "100%", hidden: "" }));
}

function valuesAt(svg, time) {
	const rows = [];
	for (const line of svg.querySelectorAll(".line:not([hidden])")) {
		const { points } = line;
		if (points.length === 0) continue;
		let low = 0, high = points.length - 1;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (points[middle][0] < time) low = middle; else high = middle;
		}
		const [t, v] = Math.abs(points[low][0] - time) < Math.abs(points[high][0] - time) ? points[low] : points[high];
		rows.push({ name: line.dataset.name, color: line.getAttribute("class").split(" ").at(-1), text: String(v) });
	}
	return rows;
}

function hover(event) {
	const figure = event.target.closest?.("[data-plot]");
	const svg = figure?.querySelector("svg[data-from]");
	for (const tip of document.querySelectorAll(".tip")) if (tip.parentElement !== figure) leave(tip.parentElement);
	if (!svg) return;
	const [from, to] = [Number(svg.dataset.from), Number(svg.dataset.to)];
	const box = svg.getBoundingClientRect();
	const x = (event.clientX - box.left) / box.width;
	const time = from + x * (to - from);
	if (event.type === "pointerleave" || time < from || time > to || event.clientY > box.bottom) { leave(figure); return; }
	let tip = figure.querySelector(".tip");
	if (!tip) {
		tip = document.createElement("div");
		tip.className = "tip";
		figure.append(tip);
	}
	const rows = valuesAt(svg, time).slice(0, 12).map(({ name, color, text }) => {
		const row = document.createElement("div");
		const value = document.createElement("b");
		value.textContent = text;
		row.className = color;
		row.append(name + " ", value);
		return row;
	});
	const head = document.createElement("div");
	head.textContent = new Date(time).toISOString().replace("T", " ").replace("Z", "");
	tip.replaceChildren(head, ...rows);
	const cursor = svg.querySelector(".cursor");
	for (const name of ["x1", "x2"]) cursor.setAttribute(name, x * 100 + "%");
	cursor.removeAttribute("hidden");
	const offset = event.clientX - figure.getBoundingClientRect().left;
	tip.style.left = Math.max(0, offset > figure.clientWidth / 2 ? offset - tip.offsetWidth - 12 : offset + 12) + "px";
}

function leave(figure) {
	figure.querySelector(".tip")?.remove();
	figure.querySelector(".cursor")?.setAttribute("hidden", "");
}

document.addEventListener("pointermove", hover);
document.documentElement.addEventListener("pointerleave", hover);

document.addEventListener("click", (event) => {
	const button = event.target.closest(".legend button");
	if (!button) return;
	const isOn = button.getAttribute("aria-pressed") !== "true";
	button.setAttribute("aria-pressed", isOn);
	const index = [...button.closest(".legend").children].indexOf(button.parentElement);
	button.closest("[data-plot]").querySelectorAll(".line")[index]?.toggleAttribute("hidden", !isOn);
});
