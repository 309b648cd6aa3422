// Pages with a form that checks the health of a plugin or a data source.

import "./console.js";

const details = document.getElementById("health-details");
document.addEventListener("sent", (event) => {
	if (!event.target.hasAttribute("data-health")) return;
	const { status, message, details: more } = event.detail;
	event.target.querySelector(".status").textContent = [status, message].filter(Boolean).join(": ");
	if (!details) return;
	details.hidden = more === undefined;
	details.textContent = more === undefined ? "" : JSON.stringify(more, null, 2);
});
