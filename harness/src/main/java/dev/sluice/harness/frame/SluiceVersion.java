package dev.sluice.harness.frame;

/** The version that the build wrote into the jar. */
public final class SluiceVersion {
  private SluiceVersion() {}

  /** Returns the version, or {@code development} where the classes come from no jar. */
  public static String current() {
    String version = SluiceVersion.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
