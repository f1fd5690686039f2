package dev.sluice.scheduling;

/** Receives what the core decides, and what of its state changed, while it applies one fact. */
public interface CoreListener {
  /** A batch starts. */
  void started(Dispatch dispatch);

  /** A job came to its end. */
  void ended(JobEnd end);

  /** An entity of the state is new or has changed: keep it under its key. */
  void changed(CoreEntity entity);

  /** An entity of the state is gone: forget its key. */
  void removed(String entityKey);
}
