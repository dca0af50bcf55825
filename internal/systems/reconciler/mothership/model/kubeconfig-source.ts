/** Where the kubeconfig of a cluster is that was registered without one: a Secret of the control plane. */
export interface KubeconfigSource {
  /** The kubeconfig; undefined if there is none. */
  read(runtimeId: string, signal: AbortSignal): Promise<string | undefined>;
}
