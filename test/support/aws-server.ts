import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface AwsServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly AwsRequest[];
}

/** Simulates AWS services that issue keys, on loopback, with the answers of a test. Strings are sent unchanged. */
export async function startAwsServer(
  answer: (request: AwsRequest) => { readonly status?: number; readonly body: string | object },
): Promise<AwsServer> {
  const requests: AwsRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", headers, url = "" } = incoming;
      const request = { method, headers, url: new URL(url, "http://aws"), body: Buffer.concat(chunks).toString() };
      requests.push(request);
      const { status = 200, body } = answer(request);
      response.writeHead(status);
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The cast is safe: a TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The answer of STS for an assumed role. */
export function assumedRole(accessKeyId: string, expiration: string): string {
  return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId>
    <SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
    <Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
}
