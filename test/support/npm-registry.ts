import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: Uint8Array;
  /** The registry announces another hash than the tarball has. */
  readonly isTampered?: boolean;
}

/** A registry on loopback with the part of npm's protocol that `npm pack` needs. The list may change. */
export async function npmRegistry(packages: readonly PublishedPackage[]): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? "");
    const { port } = server.address() as AddressInfo;
    const file = packages.find(({ name, version }) => url === `/${name}/-/${name}-${version}.tgz`);
    if (file) return response.end(file.tarball);
    const versions = packages.filter(({ name }) => url === `/${name}`);
    const latest = versions.at(-1);
    if (!latest) {
      response.statusCode = 404;
      return response.end("{}");
    }
    const described = versions.map(({ name, version, tarball, isTampered }) => [
      version,
      {
        name,
        version,
        hasInstallScript: true,
        dist: {
          tarball: `http://127.0.0.1:${port}/${name}/-/${name}-${version}.tgz`,
          integrity: `sha512-${createHash("sha512")
            .update(isTampered ? "other bytes" : tarball)
            .digest("base64")}`,
        },
      },
    ]);
    response.setHeader("content-type", "application/json");
    return response.end(
      JSON.stringify({
        name: latest.name,
        "dist-tags": { latest: latest.version },
        versions: Object.fromEntries(described),
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
