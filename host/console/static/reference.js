// Tries the calls of the API reference.

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

document.addEventListener("submit", async (event) => {
	const form = event.target;
	if (!form.dataset.try) return;
	event.preventDefault();
	if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
	const [method, pattern] = form.dataset.try.split(" ");
	let path = pattern;
	const query = new URLSearchParams();
	for (const field of form.querySelectorAll("input[data-in]")) {
		// A parameter of several segments keeps its slashes; dots alone would leave the path.
		if (field.dataset.in === "path") path = path.replace(`{${field.name}}`, field.value.split("/").map((s) => /^\.+$/.test(s) ? "" : encodeURIComponent(s)).join("/"));
		else if (field.value !== "") query.append(field.name, field.value);
	}
	if (query.size > 0) path += "?" + query;
	const body = form.querySelector("textarea[data-in=body]")?.value;
	const curl = ["curl", "-X", method, "-H", "\"Authorization: Bearer $TOKEN\""];
	if (body !== undefined) curl.push("-H", quote("Content-Type: application/json"), "-d", quote(body));
	curl.push(quote(location.origin + path));
	const status = form.querySelector(".status");
	const [shown, response] = form.querySelectorAll(".answer code");
	form.querySelector(".answer").hidden = false;
	shown.textContent = curl.join(" ");
	const start = performance.now();
	try {
		const stop = new AbortController();
		const timer = setTimeout(() => stop.abort(), 30000); // streams do not end
		const answer = await fetch(path, { method, signal: stop.signal, headers: body === undefined ? {} : { "Content-Type": "application/json" }, body });
		const took = () => `${answer.status} ${answer.statusText} · ${(performance.now() - start).toFixed(1)} ms`;
		status.classList.toggle("bad", !answer.ok);
		status.textContent = took();
		let text = "";
		const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
		for (let part = await reader?.read(); part && !part.done && text.length < 1e6; part = await reader.read()) {
			text += part.value;
			response.textContent = text;
		}
		reader?.cancel();
		clearTimeout(timer);
		status.textContent = took();
		try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON */ }
		response.textContent = text;
	} catch (error) {
		status.classList.add("bad");
		status.textContent = error.message;
	}
});
