package dev.sluice.harness.process;

/** A person ended the command before its work was done. */
public final class StoppedException extends Exception {}
