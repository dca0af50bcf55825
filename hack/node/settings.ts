import type { Binaries } from '../control-planes/binaries/binaries.ts';
import type { Programs } from './programs/ensure-programs.ts';

/** Addresses inside the node's network namespace. They are the same for every node: no route leads to them from outside. */
export const ADDRESSES = {
  node: '10.88.0.1',
  /** The pods', all on the one node. */
  pods: '10.244.0.0/24',
  services: '10.0.0.0/24',
  /** Of the service `kubernetes`. */
  apiService: '10.0.0.1',
} as const;

/** Where pods and containerd pull images from. Private addresses are spoken to by plain HTTP. */
export const REGISTRY = `${ADDRESSES.node}:5000`;

/** Of the Node object. */
export const NODE_NAME = 'node';

/** What the process inside of the namespaces gets from the one outside. */
export interface NodeSettings {
  /** Names the cluster in its kubeconfig. */
  readonly name: string;
  /** Of the node: everything that it stores is below. */
  readonly directory: string;
  /** Of the API server, on 127.0.0.1 inside and outside. */
  readonly port: number;
  /** Folder below every hierarchy of cgroups, for the pods: `/kyma-node-x`. */
  readonly cgroup: string;
  readonly programs: Programs;
  readonly controlPlane: Binaries;
  /** Absolute paths of what comes from the distribution. */
  readonly runc: string;
  readonly cniPlugins: string;
}

/** Files and folders of a node's directory that both processes know. */
export const PARTS = {
  settings: 'settings.json',
  /** The socket that leads to the API server. */
  door: 'door.sock',
  /** Images by `<registry host>/<name>/<tag>`, each an OCI layout. */
  images: 'images',
  /** Of the control plane. */
  controlPlane: 'control-plane',
} as const;

/** A line that the process inside writes to its standard output, as JSON. */
export type NodeMessage =
  | { readonly report: string }
  | { readonly ready: { readonly controlPlane: string } }
  | { readonly failed: string }
  /** The command with this number is done. */
  | { readonly done: number; readonly error?: string };

/** A line that it reads from its standard input, as JSON. At the end of its input the node ends. */
export interface NodeCommand {
  readonly number: number;
  readonly freeze?: NodeServer;
  readonly resume?: NodeServer;
  /** Whether packets of pods to the API server are dropped. */
  readonly isolatePods?: boolean;
}

/** The servers that can be frozen. */
export type NodeServer = 'kube-apiserver' | 'kubelet' | 'containerd';
