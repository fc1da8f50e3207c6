import { err, ok } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { GatewayVendor, ToolGateway } from "../../contracts/web/tool-gateway.ts";
import type { Models } from "../models/models.ts";
import { accountToken } from "./account-token.ts";

/**
 * The Nous tool gateway: a server for each vendor, with the token of a Nous account. Environment variables can set
 * another domain, server or token, for your own gateway.
 */
export function openToolGateway({ secrets }: LoadedConfig, models: () => Promise<Models | undefined>): ToolGateway {
  const value = (name: string) => (secrets.get(name) ?? "").trim().replace(/\/+$/u, "");
  const ownAddress = (vendor: GatewayVendor) => value(`${vendor.toUpperCase().replaceAll("-", "_")}_GATEWAY_URL`);
  const isSetUpFor = (vendor: GatewayVendor) => value("TOOL_GATEWAY_USER_TOKEN") !== "" || ownAddress(vendor) !== "";

  function addressOf(vendor: GatewayVendor): string {
    const scheme = value("TOOL_GATEWAY_SCHEME").toLowerCase() === "http" ? "http" : "https";
    const domain = value("TOOL_GATEWAY_DOMAIN").replace(/^\/+/u, "");
    return `${scheme}://${vendor}-gateway.${domain === "" ? "nousresearch.com" : domain}`;
  }

  return {
    isSetUpFor,
    async access(vendor, signal) {
      const own = ownAddress(vendor);
      const given = value("TOOL_GATEWAY_USER_TOKEN");
      const token = given === "" ? await accountToken(await models(), "nous", signal) : ok(given);
      if (!token) return err({ message: needsAccount });
      if (!token.ok) return token;
      const isNamedBySettings = own !== "" || value("TOOL_GATEWAY_DOMAIN") !== "";
      return ok({ baseUrl: own === "" ? addressOf(vendor) : own, token: token.value, isNamedBySettings });
    },
  };
}

const needsAccount =
  "The Nous tool gateway needs an account: hermes auth add nous --oauth. Or set use_gateway to false and use your own key.";
