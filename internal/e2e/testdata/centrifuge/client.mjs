// Follows the channels of a plugin with the client that frontends use, and prints what
// happens as lines of JSON.
import { Centrifuge as JSONClient } from "centrifuge";
import { Centrifuge as ProtobufClient } from "centrifuge/build/protobuf";
import WebSocket from "ws";

const [address, authorization, protocol, plugin] = process.argv.slice(2);
const print = (event) => console.log(JSON.stringify(event));

class Socket extends WebSocket {
	constructor(url, protocols) { super(url, protocols, { headers: { Authorization: authorization } }); }
}

const isBinary = protocol === "protobuf";
const decode = (data) => isBinary ? JSON.parse(new TextDecoder().decode(data)) : data;
const encode = (value) => isBinary ? new TextEncoder().encode(JSON.stringify(value)) : value;
const client = new (isBinary ? ProtobufClient : JSONClient)(address, { websocket: Socket });
client.on("error", ({ error }) => print({ event: "error", path: "connection", reason: error.message }));
client.on("disconnected", ({ code, reason }) => print({ event: "disconnected", code, reason }));

for (const path of ["missing", "secret", "chat", "numbers"]) {
	const channel = `1/plugin/${plugin}/${path}`;
	const subscription = client.newSubscription(channel);
	subscription.on("subscribed", ({ data }) => {
		print({ event: "subscribed", path, data: decode(data) });
		if (path === "chat") {
			subscription.publish(encode({ text: "hi" })).then(() => print({ event: "published", path }), ({ code }) => print({ event: "error", path, code }));
			client.publish(`1/plugin/${plugin}/numbers`, encode(1)).catch(({ code }) => print({ event: "error", path: "numbers", code }));
		}
	});
	subscription.on("unsubscribed", ({ code, reason }) => print({ event: "unsubscribed", path, code, reason }));
	subscription.on("publication", ({ data }) => print({ event: "publication", path, data: decode(data) }));
	subscription.subscribe();
}
client.connect();
