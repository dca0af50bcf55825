/** Where the end-to-end test runs. Its steps know this interface only. */
export interface TestCluster {
  readonly name: 'kind' | 'node';
  /** Finds out what lacks on this machine, before anything is made, and puts kubectl and helm on PATH. */
  prepare(): Promise<void>;
  /** From nothing to a cluster with a registry. `KUBECONFIG` leads to it afterwards. */
  start(): Promise<void>;
  /** Text of its admin's kubeconfig. */
  kubeconfig(): Promise<string>;
  /**
   * How Helm finds Crossplane's chart: the arguments after `upgrade --install crossplane`.
   *
   * @param range of versions, as Helm has it
   */
  crossplaneChart(range: string): Promise<readonly string[]>;
  /** Makes the image `name:tag` of a folder, whose file `main.mjs` Node starts. Pods need no registry for it. */
  addProgram(image: string, folder: string): Promise<void>;
  /** Builds the package with its runtime image, and returns the reference by which Crossplane finds it. */
  addPackage(build: PackageBuild): Promise<string>;
  /** Makes the runtime image alone, of `dist`, available by this reference. */
  addRuntimeImage(reference: string): Promise<void>;
  /** Makes an image with a shell, and `initdb` and `postgres` in one of POSTGRES_FOLDERS, available as POSTGRES_IMAGE. */
  addPostgres(): Promise<void>;
  /** Makes a volume of 2 GiB for the next claim that names no class. */
  addVolume(): Promise<void>;
  /** Makes the package of a function installable by its reference. @throws with the reason if it cannot be had */
  addFunction(reference: string): Promise<void>;
  /** Makes Argo CD and a repository for it available. @throws with the reason if it cannot be had */
  addArgoCd(wanted: ArgoCdWanted): Promise<ArgoCdInstallation>;
  /** Pods do not reach the API server, until the returned function is called. */
  isolatePods(): Promise<() => Promise<void>>;
  /** Removes everything that was made. */
  stop(): Promise<void>;
}

/** How a package is built. */
export interface PackageBuild {
  /** Without a `v`. */
  readonly version: string;
  /** For what is built. */
  readonly directory: string;
  /** The sources, with a bundle in `dist`. Default: this repository. */
  readonly root?: string;
  /** By which users name it: `<host>/<name>:<tag>`. Default: one of the test. */
  readonly reference?: string;
}

export interface ArgoCdWanted {
  /** Tag. Default: that of the cluster. */
  readonly version?: string | undefined;
  /** With the folder in it. Default: that of the cluster. */
  readonly repository?: GitRepository | undefined;
  /** What Argo CD syncs, relative to the root of this repository. */
  readonly folder: string;
  /** For what is built. */
  readonly directory: string;
}

export interface GitRepository {
  readonly url: string;
  readonly revision: string;
}

/** How Argo CD is installed, and where the folder is that it syncs. */
export interface ArgoCdInstallation {
  /** File or URL, for kubectl. */
  readonly manifests: string;
  /** Of the Application. */
  readonly source: { readonly repoURL: string; readonly targetRevision: string; readonly path: string };
  /** Other objects that the source needs. */
  readonly objects: readonly unknown[];
}

/** Pods need no registry for it. */
export const POSTGRES_IMAGE = 'postgres:e2e';

/** The range of Crossplane's versions without `--crossplane`. */
export const DEFAULT_CROSSPLANE = '2.x';
