// Shows the values of a plot at the pointer, and hides lines whose names are clicked.

function valuesAt(svg, time) {
	const rows = [];
	for (const line of svg.querySelectorAll(".line:not([hidden])")) {
		line.points ??= JSON.parse(line.dataset.points);
		const points = line.points;
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

// The names in a legend become buttons.
function enhance(within) {
	for (const item of within.querySelectorAll(".legend li")) {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = item.textContent;
		button.setAttribute("aria-pressed", "true");
		item.replaceChildren(button);
	}
}
enhance(document);
document.addEventListener("replaced", (event) => enhance(event.target));
document.addEventListener("click", (event) => {
	const button = event.target.closest(".legend button");
	if (!button) return;
	const isOn = button.getAttribute("aria-pressed") !== "true";
	button.setAttribute("aria-pressed", isOn);
	const index = [...button.closest(".legend").children].indexOf(button.parentElement);
	button.closest("[data-plot]").querySelectorAll(".line")[index]?.toggleAttribute("hidden", !isOn);
});
