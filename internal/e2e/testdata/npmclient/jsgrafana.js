// Drives the client of the npm package jsgrafana, which the community wrote for the pages of the
// published documentation, against a host. Arguments: the URL of the host and a token. Prints
// "ok" and the name of each step.
"use strict";
const assert = require("node:assert");
const { createRequire } = require("node:module");
// The package is installed in the working directory, not next to this file.
const GrafanaAPI = createRequire(process.cwd() + "/")("jsgrafana");

const [url, token] = process.argv.slice(2);
const client = new GrafanaAPI(url, token);

// call runs a method of the client, which must exist, and hands the result to check.
async function call(name, params, check) {
  check(await client[name](...params));
  console.log("ok", name);
}

async function refuse(name, params, message) {
  await assert.rejects(client[name](...params), (body) => message.test(body.message));
  console.log("ok", name, "fails");
}

const same = (got, want) => assert.deepStrictEqual(got, want);
const has = (got, want) => assert.deepStrictEqual({ ...got, ...want }, got);

async function folders() {
  await call("createFolder", [{ uid: "js", title: "JS" }], (f) => has(f, { uid: "js", version: 1, url: "/dashboards/f/js/js" }));
  await call("getFolder", ["js"], (f) => has(f, { title: "JS", canSave: true }));
  await call("getFolders", [{ limit: 5 }], (all) => same(all.map((f) => f.uid), ["js"]));
  await call("updateFolder", ["js", { title: "JS 2", version: 1 }], (f) => has(f, { title: "JS 2", version: 2 }));
  await refuse("updateFolder", ["js", { title: "JS 3", version: 1 }], /version/);
}

async function dashboards() {
  const dashboard = { uid: "js", title: "From JS", tags: ["js"], panels: [] };
  await call("setDashboard", [{ dashboard, folderUid: "js" }], (d) => has(d, { uid: "js", status: "success", version: 1, slug: "from-js" }));
  await call("getDashboard", ["js"], (d) => {
    has(d.dashboard, { title: "From JS", version: 1 });
    has(d.meta, { folderUid: "js", provisioned: false });
  });
  await call("search", [{ query: "from js", tag: "js", folderUIDs: "js" }], (all) => same(all.map((d) => [d.uid, d.folderUid]), [["js", "js"]]));
  await call("search", [{ starred: true }], (all) => same(all, []));
  await call("deleteDashboard", ["js"], (d) => has(d, { title: "From JS", uid: "js", message: "Dashboard From JS deleted" }));
  await refuse("getDashboard", ["js"], /not found/);
  await call("deleteFolder", ["js"], (f) => has(f, { title: "JS 2" }));
}

async function datasources() {
  const source = { name: "JS", type: "acme-none-datasource", access: "proxy", url: "https://db.example" };
  let id;
  await call("createDatasource", [{ ...source, uid: "js" }], (d) => ({ id } = d));
  await call("getDatasource", [id], (d) => has(d, { uid: "js", version: 1 }));
  await call("updateDatasource", [id, { ...source, name: "JS 2", version: 1 }], (d) => has(d.datasource, { name: "JS 2", version: 2 }));
  await refuse("updateDatasource", [id, { ...source, version: 1 }], /changed/);
  await call("getDatasources", [], (all) => same(all.map((d) => d.name), ["JS 2", "Main"]));
  await call("getDatasourceByName", ["JS%202"], (d) => has(d, { id }));
}

async function playlists() {
  const playlist = { name: "JS", interval: "5m", items: [{ type: "dashboard_by_tag", value: "js", order: 1, title: "JS" }] };
  let uid;
  await call("createPlaylist", [playlist], (p) => ({ uid } = p));
  await call("getPlaylists", [{ query: "js", limit: 5 }], (all) => same(all, [{ uid, name: "JS", interval: "5m" }]));
  await call("getPlaylist", [uid], (p) => has(p, { name: "JS", interval: "5m" }));
  await call("getPlaylistItems", [uid], (items) => same(items.map((i) => [i.playlistUid, i.value]), [[uid, "js"]]));
  await call("getPlaylistDashboards", [uid], (all) => same(all, []));
  await call("updatePlaylist", [uid, { ...playlist, name: "JS 2" }], (p) => has(p, { uid, name: "JS 2" }));
  await call("deletePlaylist", [uid], (p) => same(p, {}));
  await refuse("getPlaylist", [uid], /not found/);
}

async function users() {
  let id;
  await call("searchUsers", [{ perpage: 5 }], (all) => {
    id = all[0].id;
    same(all.map((u) => u.login), ["admin"]);
  });
  await call("getUserTeams", [id], (all) => same(all, []));
  await call("getCurrentUser", [], (u) => has(u, { orgId: 1, role: "Admin" }));
  await call("getCurrentOrganization", [], (o) => has(o, { id: 1, name: "Main Org." }));
  await call("getCurrentOrganizationUsers", [], (all) => same(all.map((u) => [u.login, u.role]), [["admin", "Admin"]]));
  await call("searchTeams", [{ perpage: 5, page: 1 }], (t) => has(t, { totalCount: 0, teams: [] }));
  await refuse("createOrganization", [{ name: "x" }], /no organizations/);
}

async function others() {
  let id;
  await call("createAuthKey", [{ name: "js", role: "Viewer", secondsToLive: 60 }], (k) => ({ id } = k));
  await call("getAuthKeys", [], (all) => same(all.map((k) => [k.id, k.role]), [[id, "Viewer"]]));
  await call("deleteAuthKey", [id], (k) => same(k, { message: "API key deleted" }));
  await call("getHealth", [], (h) => has(h, { database: "ok" }));
  await call("getFrontendSettings", [], (s) => same(s.datasources, {}));
  await refuse("findAnnotations", [{ limit: 1 }], /no annotations/);
}

async function main() {
  for (const run of [folders, dashboards, datasources, playlists, users, others]) {
    await run();
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
