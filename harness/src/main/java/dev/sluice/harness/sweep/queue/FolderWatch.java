package dev.sluice.harness.sweep.queue;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells that files came into folders. Which files is not told: events get lost when many come at
 * once, so the listener reads the folder. Where a file system reports no events, or the system has
 * no watch left, nothing is told.
 */
final class FolderWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FolderWatch.class);

  private final WatchService service;

  private FolderWatch(WatchService service) {
    this.service = service;
  }

  /**
   * Begins to watch.
   *
   * @param onChange called on a thread of the watch after files came
   */
  static FolderWatch of(List<Path> folders, Runnable onChange) throws IOException {
    WatchService service = folders.get(0).getFileSystem().newWatchService();
    for (Path folder : folders) {
      if (Files.isDirectory(folder)) {
        folder.register(
            service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
      }
    }
    var thread = new Thread(() -> watch(service, onChange), "sluice-folder-watch");
    thread.setDaemon(true);
    thread.start();
    return new FolderWatch(service);
  }

  private static void watch(WatchService service, Runnable onChange) {
    try {
      while (true) {
        WatchKey key = service.take();
        key.pollEvents();
        key.reset();
        onChange.run();
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      LOG.debug("the watch has ended");
    }
  }

  @Override
  public void close() throws IOException {
    service.close();
  }
}
