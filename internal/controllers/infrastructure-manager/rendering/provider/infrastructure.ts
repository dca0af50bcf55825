import type { RawDocument } from '../model/raw-document.ts';

/** What a provider of infrastructure is configured with in a Shoot. */
export interface Infrastructure {
  /**
   * InfrastructureConfig of a new Shoot.
   *
   * @param nodes range of the nodes
   * @throws RenderingError
   */
  create(nodes: string, zones: readonly string[]): RawDocument;
  /**
   * InfrastructureConfig of a Shoot that exists, with further zones. Nothing else changes: zones keep their subnets, and fields of
   * others stay.
   *
   * @param zones of the Runtime; those that the Shoot has already do not count
   * @throws RenderingError
   */
  addZones(live: RawDocument, nodes: string, zones: readonly string[]): RawDocument;
  /** ControlPlaneConfig of a new Shoot. @throws RenderingError */
  controlPlane(zones: readonly string[]): RawDocument;
}
