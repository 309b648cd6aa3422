// Writes numbers with their units, as units.go does.

const plainSizes = [[1, ""]];
const maxUnit = 30; // letters

function rounded(v, digits) {
	if (digits === 6 && Math.abs(v) >= 1e6 && Math.abs(v) < 1e21) return String(Math.sign(v) * Math.round(Math.abs(v)));
	return String(Number(v.toPrecision(digits)));
}

// formatter returns a function that writes numbers. The format is the JSON of a numberFormat
// of the host; without one, numbers have all their digits.
export function formatter(json) {
	if (!json) return String;
	const { before = "", sizes, decimals } = JSON.parse(json);
	return (v) => {
		if (typeof v !== "number" || !Number.isFinite(v)) return String(v);
		let [size, text] = (sizes ?? plainSizes)[0];
		for (const [of, after] of sizes ?? []) {
			if (of <= Math.abs(v) || v === 0 && of <= 1) [size, text] = [of, after];
		}
		const scaled = v / size;
		return before + (Number.isInteger(decimals) ? scaled.toFixed(Math.min(Math.max(decimals, 0), 20)) : rounded(scaled, sizes?.length > 1 ? 4 : 6)) + text;
	};
}

// formatOf returns the JSON of the format of a field, or undefined for numbers alone. Units
// are the formats that the host knows, by name.
export function formatOf(units, unit = "", decimals) {
	const [, kind, text] = /^(prefix|currency|suffix):(.*)$/s.exec(unit) ?? [];
	let format = {};
	if (Object.hasOwn(units, unit)) format = units[unit];
	else if (unit.length > maxUnit || unit.startsWith("dateTime")) format = {};
	else if (kind) format = kind === "suffix" ? { sizes: [[1, text]] } : { before: text };
	else if (!unit.includes(":")) format = { sizes: [[1, " " + unit]] };
	return format.before || format.sizes || Number.isInteger(decimals) ? JSON.stringify({ ...format, decimals }) : undefined;
}
