# Runs a server as several processes that share one port.

require_relative "ending"

module AutostradaKit
  # Calls the block here or, where there are several workers, in a process each. An exception ends
  # the program, with its message as the reason.
  def self.run_workers(workers, &serve)
    return serve_or_exit(&serve) if workers == 1

    children = []
    is_asked_to_end = false
    # While children are started, one of them may not be in the list yet.
    trap("TERM") { children.size == workers ? end_all(children) : is_asked_to_end = true }
    workers.times { children << fork { serve_or_exit(&serve) } }
    end_all(children) if is_asked_to_end
    Process.wait
    warn "a worker has ended"
    end_all(children)
  end

  def self.serve_or_exit
    trap("TERM", "DEFAULT")
    yield
  rescue StandardError => error
    warn error.backtrace
    exit_with("", error.message)
  end
  private_class_method :serve_or_exit

  def self.end_all(children)
    children.each do |child|
      Process.kill("KILL", child)
      Process.wait(child)
    rescue Errno::ESRCH, Errno::ECHILD
      next
    end
    exit!(1)
  end
  private_class_method :end_all
end
