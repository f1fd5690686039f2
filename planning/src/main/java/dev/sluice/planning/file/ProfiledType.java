package dev.sluice.planning.file;

import java.util.List;

/**
 * A type of devices that was measured with the asked model, dtype and batch size.
 *
 * @param bandwidthMbps bandwidth of each host, at least 0, in 1024² bits a second
 * @param memoryMb memory of each host, at least 0, in 1024² bytes
 * @param layerSeconds measured time of each layer, at least 0
 * @param hosts hosts of the type, in the order of devices.yml, none twice; may be empty
 * @param certainty how sure the times are
 */
public record ProfiledType(
    String name,
    double bandwidthMbps,
    double memoryMb,
    List<Double> layerSeconds,
    List<String> hosts,
    Certainty certainty) {
  public ProfiledType {
    layerSeconds = List.copyOf(layerSeconds);
    hosts = List.copyOf(hosts);
  }
}
