//go:build e2e && unix

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tries are what a hostile plugin does: functions that return what they got, and nothing if they were refused.
var tries = []struct{ name, code string }{
	{"the console's cookies", `return document.cookie`},
	{"the console's API, with its cookie", `return (await fetch(host + '/api/user', {credentials: 'include'})).text()`},
	{"the console's API, blind", `return (await fetch(host + '/api/org/users', {mode: 'no-cors', credentials: 'include'})).type`},
	{"the console in a frame", `const f = document.createElement('iframe'); f.src = host + '/';
		const loaded = new Promise((r) => f.onload = r);
		document.body.append(f); await loaded; return f.contentDocument?.body?.innerText`},
	{"a window of the console", `const w = window.open(host + '/'); await sleep(); return w?.document?.body?.innerText`},
	{"a token in storage", `return Object.entries({...localStorage,
		...sessionStorage}).filter(([k]) => !k.startsWith('preview.') && /token|session/i.test(k)).join()`},
	{"the users", `return api('GET', '/api/users')`},
	{"a service account", `return api('POST', '/api/serviceaccounts', {name: 'x', role: 'Admin'})`},
	{"a token", `return api('POST', '/api/serviceaccounts/1/tokens', {name: 'x'})`},
	{"provisioning", `return api('POST', '/api/admin/provisioning/datasources/reload')`},
	{"to delete a data source", `return api('DELETE', '/api/datasources/uid/testdata')`},
	{"a stronger role", `return api('GET', '/api/admin/settings', undefined, {'X-Preview-Role': 'GrafanaAdmin'})`},
	{"a service worker", `return (await navigator.serviceWorker.register('/public/plugins/` + faultyID + `/module.js')).scope`},
	{"a service worker of its own text", `return (await navigator.serviceWorker.register(URL.createObjectURL(new Blob([''],
		{type: 'text/javascript'})))).scope`},
	{"the files of another plugin", `return api('GET', '/public/plugins/other-app/module.js')`},
	{"a form to the console", `const f = Object.assign(document.createElement('form'), {method: 'POST', action: host + '/logout',
		target: '_blank'});
		document.body.append(f); f.submit(); await sleep(); return ''`},
	{"events of the console", `const e = new EventSource(host + '/api/plugins/events', {withCredentials: true});
		return new Promise((r) => { e.onopen = () => r('open'); e.onerror = () => r('') })`},
	{"a socket to the console", `const s = new WebSocket(host.replace('http', 'ws') + '/api/live/ws');
		return new Promise((r) => { s.onopen = () => r('open'); s.onerror = () => r('') })`},
	{"a script of the console", `const s = document.createElement('script');
		s.src = host + '/public/plugins/` + faultyID + `/module.js'; document.head.append(s);
		return new Promise((r) => { s.onload = () => r('loaded'); s.onerror = () => r('') })`},
	{"a script in an address", `const a = Object.assign(document.createElement('a'), {href: "javascript:window.ran = 'ran'"});
		document.body.append(a); a.click(); await sleep(); return window.ran`},
}

// hostileModule is a module that declares the tries.
func hostileModule() string {
	var code strings.Builder
	code.WriteString(`// @ts-nocheck
const sleep = () => new Promise((r) => setTimeout(r, 300));
const page = new XMLHttpRequest(); // whose header names the console
page.open('GET', '/', false);
page.send();
const host = page.getResponseHeader('Content-Security-Policy').match(/frame-ancestors (\S+)/)[1];
const api = async (method, path, body, headers) => {
  const answer = await fetch(path, {method, body: body && JSON.stringify(body),
    headers: {'X-Preview-Token': sessionStorage.getItem('preview.token'), ...headers}});
  if (!answer.ok) throw new Error('status ' + answer.status);
  return answer.text();
};
window.refusals = [];
if (parent !== window) setInterval(() => { // in the console
  try { top.location = host + '/profile'; } catch (e) { parent.postMessage(document.body.innerText + e.name, '*'); }
}, 200);
addEventListener('securitypolicyviolation', (e) => window.refusals.push(e.effectiveDirective));
`)
	for i, try := range tries {
		fmt.Fprintf(&code, "const try%d = async () => { %s };\n", i, try.code)
	}
	code.WriteString("window.tries = [")
	for i := range tries {
		fmt.Fprintf(&code, "try%d, ", i)
	}
	return code.String() + "];\n" + goodModule
}

// TestHostilePlugin runs a hostile plugin in the browser in which somebody has signed in to the console.
func TestHostilePlugin(t *testing.T) {
	p := startFaulty(t, "dev", map[string]string{"Panel.tsx": faultyPanel, "Panel.css": "", "../../outside.go": "package outside\n",
		"module.ts": hostileModule()})
	p.do(t, chromedp.Navigate(p.console+"/login"), chromedp.SendKeys("input[name=password]", password+kb.Enter),
		until(`location.pathname === "/"`))
	const session = `fetch("/api/user").then((r) => r.status)`
	if status := value[int](t, p.consoleTest, session); status != 200 {
		t.Fatalf("the session is not valid: %d", status)
	}
	p.navigate(t, "/panel/"+faultyID)
	p.do(t, until(`window.tries !== undefined`), until(hasText("#it", "clicks: ")))
	if got := value[string](t, p.consoleTest, `fetch("/api/user",
		{headers: {"X-Preview-Token": sessionStorage.getItem("preview.token")}}).then((r) => String(r.status))`); got != "200" {
		t.Fatalf("a call on the list: %s", got) // else the tries fail for another reason
	}
	for i, try := range tries {
		got := value[string](t, p.consoleTest, fmt.Sprintf(`window.tries[%d]().then((got) => got ? "GOT " + got : "nothing",
			(e) => "nothing: " + e.message)`, i))
		t.Logf("%-36s %.120s", try.name, got)
		if strings.HasPrefix(got, "GOT ") {
			t.Errorf("%s: %s", try.name, got)
		}
	}
	t.Logf("refused by the policy of the page: %v", value[[]string](t, p.consoleTest, `window.refusals`))
	p.do(t, chromedp.Navigate(p.console+"/plugins/"+faultyID+"/preview"), js(`addEventListener("message", (e) => { window.told = e.data })`),
		until(`window.told?.includes("clicks: ") && window.told.endsWith("SecurityError")`))
	p.screenshot(t, "console-preview")
	p.do(t, until(`location.pathname.endsWith("/preview")`), chromedp.Navigate(p.console+"/"))
	if status := value[int](t, p.consoleTest, session); status != 200 {
		t.Errorf("the session after the tries: %d", status)
	}
}
