// Enhances the forms of data sources, dashboards, playlists and accounts. console.js sends
// them; this module prepares their fields before, and shows what only some of them return.

// Fields named by data-fills have the JSON of a text area, which is without a name so that
// the fields before it can add keys. Runs before console.js reads the fields.
function fill(form) {
	for (const area of form.querySelectorAll("[data-fills]")) {
		const field = form.elements[area.dataset.fills];
		field.value = area.value.trim() === "" ? "{}" : area.value;
		if (!("import" in area.dataset)) continue;
		try { // the id and version are those of another host
			const { id, version, ...model } = JSON.parse(area.value);
			field.value = JSON.stringify(model);
		} catch { /* console.js reports it */ }
	}
}

// The field of a header without a name is not sent, and its value is removed.
function prune(form) {
	for (const row of form.querySelectorAll("[data-header]")) {
		const [name, value] = row.querySelectorAll("input");
		name.disabled = name.value.trim() === "";
		if (name.disabled) { value.value = ""; value.disabled = false; }
	}
	for (const field of form.querySelectorAll("[data-optional]")) field.disabled = field.value === "";
	setTimeout(() => { // after the fields were read, so that the user can go on after an error
		for (const field of form.querySelectorAll("[data-header] input:first-of-type[name^=jsonData], [data-optional]")) field.disabled = false;
	});
}

function collect(form) {
	const rows = [...form.querySelectorAll("[data-rows] [data-item]")];
	form.elements.items.value = JSON.stringify(rows.map((row, i) => ({
		order: i + 1,
		...Object.fromEntries([...row.querySelectorAll("[data-key]")].map((field) => [field.dataset.key, field.value])),
	})));
}

document.addEventListener("submit", (event) => {
	const form = event.target;
	if ("settings" in form.dataset) { fill(form); prune(form); }
	if ("items" in form.dataset) collect(form);
}, true);

document.addEventListener("click", (event) => {
	const button = event.target.closest("button");
	if (!button) return;
	const row = button.closest("[data-item]");
	if ("reset" in button.dataset) {
		const field = button.closest(".secret").querySelector("input, textarea");
		field.disabled = false;
		field.focus();
		button.hidden = true;
	} else if ("add" in button.dataset) {
		const form = button.form;
		const item = form.querySelector("template").content.cloneNode(true);
		form.querySelector("[data-rows]").append(item);
		form.querySelector("[data-rows]").lastElementChild.querySelector("select").focus();
	} else if ("remove" in button.dataset) {
		const next = row.nextElementSibling ?? row.previousElementSibling;
		(next?.querySelector("[data-remove]") ?? button.form.querySelector("[data-add]")).focus();
		row.remove();
	} else if (button.dataset.move) {
		const other = button.dataset.move < 0 ? row.previousElementSibling : row.nextElementSibling;
		if (button.dataset.move < 0) other?.before(row); else other?.after(row);
		button.focus();
	}
});

for (const button of document.querySelectorAll("[data-reset]")) button.hidden = button.closest("fieldset").disabled;

document.addEventListener("sent", (event) => {
	const form = event.target;
	if ("token" in form.dataset) {
		const issued = form.querySelector(".issued");
		issued.hidden = false;
		issued.querySelector("input").value = event.detail.key;
		issued.querySelector("input").focus();
		issued.querySelector("input").select();
	}
	if ("migrate" in form.dataset) {
		const { migrated, total, failedDetails } = event.detail;
		form.querySelector(".status").textContent = [`${migrated}/${total} ${form.dataset.text}`, ...failedDetails].join("; ");
	}
	if ("clear" in form.dataset) {
		for (const field of form.querySelectorAll("input:not([readonly])")) field.value = "";
	}
});
