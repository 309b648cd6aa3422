// Enhances pages that the host renders: sends forms, keeps the parts marked data-live up
// to date, and switches the theme.

const root = document.documentElement;

// Theme: the system's until the user chooses.
const stored = localStorage.getItem("theme");
if (stored === "light" || stored === "dark") root.dataset.theme = stored;
const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
for (const button of document.querySelectorAll("[data-theme-switch]")) {
	button.hidden = false;
	button.addEventListener("click", () => {
		root.dataset.theme = isDark() ? "light" : "dark";
		localStorage.setItem("theme", root.dataset.theme);
		showFrames();
	});
}

// A frame with data-src shows that address in the theme.
function showFrames() {
	for (const frame of document.querySelectorAll("iframe[data-src]")) {
		const address = new URL(frame.dataset.src);
		address.searchParams.set("theme", isDark() ? "dark" : "light");
		frame.src = address;
	}
}
showFrames();

// The current page in the navigation is visible where it scrolls.
const current = document.querySelector(".bar [aria-current]");
function showCurrent() {
	const list = current?.closest("ul");
	if (list) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
}
showCurrent();
addEventListener("resize", showCurrent);

// call calls the API and returns the text of the response. A body that is a string is JSON already.
// Errors have the message of the API.
export async function call(method, path, body) {
	const response = await fetch(path, {
		method,
		headers: body === undefined ? {} : { "Content-Type": "application/json" },
		body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
	});
	const text = await response.text();
	if (response.ok) return text;
	const value = decode(text);
	throw Object.assign(new Error(value.message || response.statusText), { status: response.status, value });
}

function decode(text) {
	try { return JSON.parse(text); } catch { return { message: text }; }
}

// send is call for a response that is decoded.
const send = async (...args) => decode(await call(...args));

// A form with data-send="METHOD /path" sends its fields as a JSON object. It then goes to
// data-next, in which {uid} stands for what was saved, or shows the page as it is now. Names
// with dots are nested; data-type is number or json.
function bodyOf(form) {
	const body = {};
	for (const field of form.elements) {
		if (!field.name || field.disabled) continue;
		let value = field.type === "checkbox" ? field.checked : field.value;
		if (field.type === "radio" && !field.checked) continue;
		if (field.dataset.type === "number") value = value === "" ? undefined : Number(value);
		if (field.dataset.type === "json") value = value.trim() === "" ? undefined : JSON.parse(value);
		const keys = field.name.split(".");
		let at = body;
		for (const key of keys.slice(0, -1)) at = at[key] ??= {};
		if (value !== undefined) at[keys.at(-1)] = value;
	}
	return body;
}

async function submit(form, body) {
	const status = form.querySelector(".status");
	const buttons = form.querySelectorAll("button");
	const show = (text, isBad) => {
		if (!status) return;
		status.textContent = text;
		status.classList.toggle("bad", isBad);
	};
	show("", false);
	const focused = document.activeElement;
	for (const b of buttons) b.disabled = true;
	try {
		const [method, path] = form.dataset.send.split(" ");
		const hasBody = method !== "DELETE" && method !== "GET";
		const result = await send(method, path, hasBody ? body ?? bodyOf(form) : undefined);
		if (form.dataset.next) {
			const { uid } = result.datasource ?? result;
			location.assign(form.dataset.next.replace("{uid}", () => encodeURIComponent(uid)));
			return;
		}
		show(result.message ?? "", false);
		form.dispatchEvent(new CustomEvent("sent", { bubbles: true, detail: result }));
		await refresh();
	} catch (error) {
		show((form.hasAttribute("data-health") ? "Failed: " : "") + error.message, true);
	} finally {
		for (const b of buttons) b.disabled = false;
		if (document.activeElement === document.body && focused?.isConnected) focused.focus(); // a disabled button loses it
	}
}

document.addEventListener("submit", (event) => {
	const form = event.target;
	if (!form.dataset.send) return;
	event.preventDefault();
	if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
	submit(form);
});

// A link from the terminal signs in with a code, which is in the fragment so that no log
// and no other site sees it.
const codeForm = document.querySelector("form[data-code]");
function signInByCode() {
	if (!location.hash.startsWith("#code=")) return;
	const code = location.hash.slice("#code=".length);
	history.replaceState(null, "", location.pathname + location.search);
	const status = codeForm.querySelector(".status");
	status.textContent = status.dataset.codeText;
	submit(codeForm, { code });
}
if (codeForm) {
	signInByCode();
	addEventListener("hashchange", signInByCode); // the link was opened in this tab
}

const lost = document.getElementById("connection");

// replace shows a newer version of a part. Open details, scroll positions and the focus
// stay where elements have the same id.
export function replace(part, next) {
	const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
	const kept = [...part.querySelectorAll("[id]")].map((e) => [e.id, e.open, e.scrollTop, e.scrollLeft]);
	part.replaceChildren(...next.childNodes);
	for (const [id, open, top, left] of kept) {
		const e = document.getElementById(id);
		if (!e) continue;
		if (open !== undefined) e.open = open;
		e.scrollTop = top;
		e.scrollLeft = left;
	}
	part.classList.remove("changed");
	void part.offsetWidth; // so that the animation starts again
	part.classList.add("changed");
	if (focused) document.getElementById(focused)?.focus();
	part.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
}

const shown = new WeakMap(); // the HTML of each part as the host sent it
for (const part of document.querySelectorAll("[data-live]")) shown.set(part, part.innerHTML);

// refresh loads the page again and replaces the parts marked data-live that differ. A
// part in which the user is typing stays. If the page has become another one, such as an
// error, it is loaded as a whole.
let isRefreshing = false;
let isStale = false;
let retry = 0; // a timer
async function refresh() {
	if (isRefreshing) { isStale = true; return; }
	isRefreshing = true;
	try {
		do {
			isStale = false;
			const response = await fetch(location.href, { headers: { Accept: "text/html" } });
			if (response.redirected && new URL(response.url).pathname === "/login") { location.assign(response.url); return; }
			const page = new DOMParser().parseFromString(await response.text(), "text/html");
			const main = page.getElementById("main");
			if (!main) throw new Error("not a page");
			if (main.dataset.page !== document.getElementById("main").dataset.page) { location.reload(); return; }
			for (const part of document.querySelectorAll("[data-live]")) {
				const next = page.getElementById(part.id);
				const isBusy = part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
				if (!next || isBusy || next.innerHTML === shown.get(part)) continue;
				shown.set(part, next.innerHTML);
				replace(part, next);
			}
		} while (isStale);
		lost.hidden = !isLost;
		document.dispatchEvent(new CustomEvent("refreshed"));
	} catch {
		lost.hidden = false; // the host stopped; the page is refreshed when it is back
		retry ||= setTimeout(() => { retry = 0; refresh(); }, 2000);
	} finally {
		isRefreshing = false;
	}
}

// isRefused reports whether the host refuses the events for good, and shows why. EventSource
// does not say.
async function isRefused() {
	const abort = new AbortController();
	try {
		const { status } = await fetch(eventsPath, { signal: abort.signal });
		if (status !== 403 && status !== 404) return false;
		lost.textContent = lost.dataset.refused;
		lost.hidden = false;
		isLost = true; // a refresh does not hide it
		return true;
	} catch {
		return false; // the host stopped
	} finally {
		abort.abort();
	}
}

// follow reads events of the host. A hidden page does not, because browsers limit how many
// connections all pages of a host have together.
const eventsPath = "/api/plugins/events";
let events = null;
let isLost = false;
let warning = 0; // the timer that reports a lost connection; the host ends streams regularly
function follow() {
	if (events || document.hidden) return;
	events = new EventSource(eventsPath);
	events.addEventListener("open", () => {
		clearTimeout(warning);
		warning = 0;
		lost.hidden = true;
		if (isLost) { isLost = false; refresh(); }
	});
	events.addEventListener("error", () => {
		warning ||= setTimeout(() => { isLost = true; lost.hidden = false; }, 4000);
		if (events?.readyState !== EventSource.CLOSED) return; // it connects again by itself
		events = null;
		setTimeout(async () => {
			if (await isRefused()) return;
			follow();
			refresh(); // which leads to the login if the session ended
		}, 3000);
	});
	for (const name of ["plugin-ready", "plugin-failed", "plugin-state"]) events.addEventListener(name, refresh);
}
if (document.querySelector("[data-live]")) {
	follow();
	document.addEventListener("visibilitychange", () => {
		if (!document.hidden) { follow(); refresh(); return; }
		clearTimeout(warning);
		warning = 0;
		events?.close();
		events = null;
	});
}

// A page with data-every is refreshed every so many seconds, while it is visible.
const every = Number(document.querySelector("[data-every]")?.dataset.every);
if (every > 0) setInterval(() => { if (!document.hidden && !isRefreshing) refresh(); }, every * 1000);

// A button with data-copy-link copies the address of the page; one with data-copy copies
// the text of the element with that id.
for (const button of document.querySelectorAll("[data-copy-link], [data-copy]")) button.hidden = false;
document.addEventListener("replaced", (event) => {
	for (const button of event.target.querySelectorAll("[data-copy-link], [data-copy]")) button.hidden = false;
});
document.addEventListener("click", async (event) => {
	const button = event.target.closest("[data-copy-link], [data-copy]");
	if (!button) return;
	const source = document.getElementById(button.dataset.copy);
	try {
		await navigator.clipboard.writeText(source ? source.value ?? source.textContent : location.href);
	} catch {
		return; // the browser denies it, as beyond loopback without TLS
	}
	const text = button.textContent;
	button.textContent = document.body.dataset.copied;
	setTimeout(() => { button.textContent = text; }, 1500);
});
