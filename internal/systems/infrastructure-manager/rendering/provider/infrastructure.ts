import type { ExtensionSchemas } from '../../../../../apis/gardener/kinds.ts';
import type { RawDocument } from '../model/raw-document.ts';

/** What only some providers know. */
export interface InfrastructureOptions {
  /** Addresses of IPv4 and IPv6. Default false. */
  readonly dualStack?: boolean;
  /** What networks on gdch are a part of. Default: it has no name. */
  readonly parentReference?: ExtensionSchemas['GdchParentReference'];
}

/** What a provider of infrastructure is configured with in a Shoot. */
export interface Infrastructure {
  /**
   * InfrastructureConfig of a new Shoot.
   *
   * @param nodes range of the nodes
   * @throws RenderingError
   */
  create(nodes: string, zones: readonly string[], options?: InfrastructureOptions): RawDocument;
  /**
   * InfrastructureConfig of a Shoot that exists, with further zones. Nothing else changes: zones keep their subnets, and fields of
   * others stay.
   *
   * @param zones of the Runtime; those that the Shoot has already do not count
   * @throws RenderingError
   */
  addZones(live: RawDocument, nodes: string, zones: readonly string[]): RawDocument;
  /** ControlPlaneConfig of a new Shoot. @throws RenderingError */
  controlPlane(zones: readonly string[], options?: InfrastructureOptions): RawDocument;
}
