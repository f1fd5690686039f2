package dev.sluice.cli;

/** A person ended the command before its work was done. */
final class StoppedException extends Exception {}
