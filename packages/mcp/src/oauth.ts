/** OAuth for servers on the network: credentials that are kept, and the provider that the protocol's client asks. */

import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import { Hopeless } from "./failure.ts";

/** What is kept for one server: the registered client and its tokens, in the form of the protocol's client. */
export type McpCredential = Readonly<Record<string, unknown>>;

/** Keeps the credentials of servers. The key is the address of the server. */
export interface McpCredentials {
  /** Resolves with the credential of a server; undefined if there is none. */
  load(url: string): Promise<McpCredential | undefined>;
  /** Keeps a credential. Undefined removes it. Rejects if it cannot be saved. */
  save(url: string, credential: McpCredential | undefined): Promise<void>;
}

/** The server wants a login that only the user can do. */
export class NeedsLogin extends Hopeless {}

type Saved = { readonly client?: unknown; readonly tokens?: unknown };
type Client = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
type Tokens = Awaited<ReturnType<OAuthClientProvider["tokens"]>>;

export interface LoginHow {
  /** Where the browser returns to. */
  readonly redirectUrl: string;
  /** Shows the address to the user. */
  readonly open: (url: string) => void | Promise<void>;
  /** The value that the answer must repeat. */
  readonly state: string;
  readonly clientName: string;
  /** A client id that is an address of client metadata. */
  readonly clientMetadataUrl: string | undefined;
}

/** Without `how`, only saved tokens are used and refreshed: nobody is sent to a browser, and no client is registered. */
export function oauthProvider(
  url: string,
  credentials: McpCredentials,
  how: LoginHow | undefined,
): OAuthClientProvider {
  let verifier = "";
  let discovery: OAuthDiscoveryState | undefined;
  const load = async (): Promise<Saved> => (await credentials.load(url)) ?? {};
  const change = async (members: Saved): Promise<void> =>
    credentials.save(url, { ...(await load()), ...members });
  return {
    get redirectUrl() {
      return how?.redirectUrl ?? "http://127.0.0.1/callback";
    },
    get clientMetadata() {
      return {
        client_name: how?.clientName ?? "Runahead",
        redirect_uris: [how?.redirectUrl ?? "http://127.0.0.1/callback"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
    },
    ...(how?.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: how.clientMetadataUrl }),
    ...(how === undefined ? {} : { state: () => how.state }),
    clientInformation: async () => (await load()).client as Client,
    ...(how === undefined ? {} : { saveClientInformation: (client: unknown) => change({ client }) }),
    tokens: async () => (await load()).tokens as Tokens,
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: async (address) => {
      if (how === undefined) throw new NeedsLogin("it requires a login");
      await how.open(address.href);
    },
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovery = state),
    discoveryState: () => discovery,
    invalidateCredentials: async (scope) => {
      if (scope === "all" || scope === "client") return credentials.save(url, undefined);
      if (scope !== "tokens") return;
      const { tokens: _tokens, ...others } = await load();
      await credentials.save(url, others);
    },
  };
}
