// Drives the typed client of the npm package @leval/mcp-grafana against a host. Arguments:
// the URL of the host and a token. Prints "ok" and the name of each step.
"use strict";
const assert = require("node:assert");
const { createRequire } = require("node:module");
// The package is installed in the working directory, not next to this file.
const { GrafanaClient } = createRequire(process.cwd() + "/")("@leval/mcp-grafana/dist/clients/grafana-client.js");

const [url, token] = process.argv.slice(2);
const client = new GrafanaClient({ url, serviceAccountToken: token });

async function step(name, run) {
  await run();
  console.log("ok", name);
}

async function main() {
  await step("updateDashboard", async () => {
    const saved = await client.updateDashboard({ uid: "npm", title: "From npm", tags: ["npm"], panels: [] }, "first");
    assert.deepStrictEqual([saved.uid, saved.status, saved.version], ["npm", "success", 1]);
  });
  await step("getDashboardByUid", async () => assert.strictEqual((await client.getDashboardByUid("npm")).title, "From npm"));
  await step("searchDashboards", async () => {
    const found = await client.searchDashboards("from NPM");
    assert.deepStrictEqual(found.map((d) => [d.uid, d.type, d.tags]), [["npm", "dash-db", ["npm"]]]);
  });
  await step("an unknown dashboard", () => assert.rejects(client.getDashboardByUid("none"), /not found/i));
  await step("listDatasources", async () => assert.deepStrictEqual((await client.listDatasources()).map((d) => d.name), ["Main"]));
  await step("getDatasourceByUid", async () => assert.strictEqual((await client.getDatasourceByUid("main")).name, "Main"));
  await step("getDatasourceByName", async () => assert.strictEqual((await client.getDatasourceByName("Main")).uid, "main"));
  await step("listTeams", async () => assert.deepStrictEqual(await client.listTeams(), []));
  await step("listUsers", async () => assert.deepStrictEqual((await client.listUsers()).map((u) => u.login), ["admin"]));
  await step("listAlertRules, which the host does not have", () => assert.rejects(client.listAlertRules(), /no alerting/));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
