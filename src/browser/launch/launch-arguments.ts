export interface LaunchArguments {
  readonly userData: string;
  readonly isHeaded: boolean;
  readonly isHeadlessShell: boolean;
  readonly hasSandbox: boolean;
  /**
   * The port of the guard on the loopback interface. Undefined for a browser that the user controls, which has no
   * guard.
   */
  readonly proxyPort: number | undefined;
  /** The maximum JavaScript memory of a page. */
  readonly maxPageMb: number;
}

/** The command line of Chromium. */
export function chromiumArguments(options: LaunchArguments): readonly string[] {
  const { userData, isHeaded, isHeadlessShell, hasSandbox, proxyPort, maxPageMb } = options;
  return [
    "--remote-debugging-pipe",
    `--user-data-dir=${userData}`,
    // An initial window is needed only if the user watches.
    ...(proxyPort === undefined ? [] : ["--no-startup-window"]),
    ...(isHeaded || isHeadlessShell ? [] : ["--headless=new"]),
    ...(hasSandbox ? [] : ["--no-sandbox"]),
    ...(proxyPort === undefined ? [] : guardArguments(proxyPort)),
    ...quiet,
    ...(process.platform === "linux" ? fewerProcesses : []),
    `--js-flags=--max-old-space-size=${maxPageMb}`,
  ];
}

/** All traffic goes to the guard, and the browser resolves no name itself. */
function guardArguments(port: number): readonly string[] {
  return [
    `--proxy-server=http://127.0.0.1:${port}`,
    // Without this rule, loopback addresses would not go through the proxy.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  ];
}

/**
 * Starts two processes less. On Linux, Chromium runs its network service without a sandbox, with the rights of the
 * browser process, so that running it there loses nothing.
 */
const fewerProcesses: readonly string[] = ["--enable-features=NetworkServiceInProcess2", "--no-unsandboxed-zygote"];

const unusedFeatures: readonly string[] = [
  "AutofillServerCommunication",
  "AsyncDns",
  "DnsOverHttps",
  "MediaRouter",
  "OptimizationHints",
  "Translate",
  "WebTransport",
  "GlobalMediaControls",
  "DialMediaRouteProvider",
  "PaintHolding",
  // A new frame for each document makes navigations slower.
  "RenderDocument",
];

const quiet: readonly string[] = [
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--no-pings",
  // The guard sees no request of a cached page, and caching makes navigations slower.
  "--disable-back-forward-cache",
  "--metrics-recording-only",
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-hang-monitor",
  "--disable-prompt-on-repost",
  "--disable-renderer-backgrounding",
  "--disable-search-engine-choice-screen",
  "--disable-sync",
  "--hide-scrollbars",
  "--mute-audio",
  "--password-store=basic",
  "--use-mock-keychain",
  `--disable-features=${unusedFeatures.join(",")}`,
];
